import { CLAUDE } from '../support/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(CLAUDE);
