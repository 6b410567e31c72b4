import { QWEN } from '../support/agent/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(QWEN);
