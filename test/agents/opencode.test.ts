import { OPENCODE } from '../support/agent/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(OPENCODE);
