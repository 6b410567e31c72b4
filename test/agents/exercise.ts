import { describe } from 'node:test';
import { noVendorCli, type VendorCli } from '../support/agent/vendor-cli.ts';
import { continueCases, sayCase, secondTryCase } from './continue-cases.ts';
import { endingCases, stopCase } from './ending-cases.ts';
import { orderCases, quotaCase } from './limit-cases.ts';
import { modelFaultCases, refusedLoginCase } from './model-fault-cases.ts';
import { mishapCases, writeCase } from './work-cases.ts';

/** `npm test` has the short cases of every vendor, `npm run test:agents` has all. */
const isWhole = process.env.BATON_TEST_AGENTS === 'all';
/** Vendors whose program starts within a second: `npm test` has a few cases more of them. */
const QUICK = ['claude', 'codex'];

/** The conformance suite of the vendors' own programs, by real runs in the real sandbox. */
export function exercise(vendor: VendorCli): void {
  describe(`${vendor.name}, by its own program`, { skip: noVendorCli(vendor.name) }, () => {
    writeCase(vendor);
    stopCase(vendor);
    refusedLoginCase(vendor);
    if (!isWhole && !QUICK.includes(vendor.name)) return;
    mishapCases(vendor);
    if (!vendor.asksAside) secondTryCase(vendor);
    if (!isWhole) return;
    endingCases(vendor);
    modelFaultCases(vendor);
    continueCases(vendor);
    orderCases(vendor);
    if (vendor.hears) sayCase(vendor);
    if (!vendor.hidesQuota) quotaCase(vendor);
  });
}
