import type { WorkWorld } from '../work/work-world.ts';
import type { PlanWorld } from './plan-world.ts';

/** The parts of a node that give orders, and deal with the work that they leave. */
export interface OrderWorld extends WorkWorld, PlanWorld {}
