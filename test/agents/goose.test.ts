import { GOOSE } from '../support/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(GOOSE);
