import { OPENCODE } from '../support/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(OPENCODE);
