import { GEMINI } from '../support/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(GEMINI);
