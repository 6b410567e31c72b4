import * as z from 'zod';

export const providerSchema = z.enum(['CLAUDE', 'CODEX', 'GEMINI', 'LOCAL', 'OTHER']);
export const roleSchema = z.enum(['ORCHESTRATOR', 'EXECUTOR', 'SPECIALIST']);
export const aopPrioritySchema = z.enum(['LOW', 'NORMAL', 'HIGH', 'CRITICAL']);
export const networkSchema = z.enum(['NONE', 'RESTRICTED', 'FULL']);
export const workflowPatternSchema = z.enum(['SINGLE', 'CHAIN', 'PARALLEL', 'MAP_REDUCE', 'HIERARCHICAL']);
export const stateSchema = z.enum(['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'ABORTED', 'SKIPPED']);
export const finalSignalSchema = z.enum(['SUCCESS', 'PARTIAL_SUCCESS', 'FAILURE', 'ABORTED']);
export const checkpointStatusSchema = z.enum(['PENDING', 'PASS', 'FAIL', 'SKIP']);
