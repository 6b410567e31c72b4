import assert from 'node:assert/strict';
import { greet } from './greeting.mjs';

assert.equal(greet('Ada'), 'Hello, Ada!');
assert.equal(greet(''), 'Hello!');
