import { callNode, type NodeAddress } from '../call-node.ts';
import type { DashboardLink } from './dashboard-access.ts';
import { LINK_PATH } from './dashboard-paths.ts';

/** Has a running node make a link to its dashboard. */
export async function askLink(address: NodeAddress): Promise<DashboardLink> {
  return (await callNode(address, { method: 'POST', path: LINK_PATH })) as DashboardLink;
}

/** Whether a browser has used the link. */
export async function isLinkUsed(address: NodeAddress, { id }: DashboardLink): Promise<boolean> {
  const { isUsed } = (await callNode(address, { method: 'GET', path: `${LINK_PATH}/${id}` })) as { isUsed: boolean };
  return isUsed;
}
