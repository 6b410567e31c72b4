// Requests and answers about other machines.

/** A node of the federation, as this one sees it. */
export interface PeerView {
  readonly nodeId: string;
  readonly alive: boolean;
  /**
   * `silent`: no heartbeat for 60 s. `dead`: none for 90 s; its tasks and agents go to others. `unseen`: the control plane does not have
   * it now, or cannot be reached: then agents, room and version are those that were seen last.
   */
  readonly life: 'alive' | 'silent' | 'dead' | 'left' | 'unseen';
  /** Whether anything of it is accepted. `asks`: not before a person trusts it. `other-key`: not under the key that it shows now. */
  readonly standing: 'accepted' | 'asks' | 'other-key' | 'removed';
  /** The end of its outbox, as far as it is known here. */
  readonly seq: number;
  /** The place of this node in it: everything up to there is stored here, or was for others. */
  readonly cursor: number;
  readonly lag: number;
  /** Ranges that are missing: waited for, or given up on. */
  readonly gaps: number;
  /** Events that did not come yet and are asked for. */
  readonly missing: { readonly first: number; readonly last: number; readonly since: string } | null;
  /** The newest ranges that were given up on. */
  readonly lost: readonly { readonly first: number; readonly last: number }[];
  readonly trust: 'known' | 'trusted' | 'removed';
  /** The first 50; words of other nodes are cut. */
  readonly agents: readonly PeerAgentView[];
  readonly agentsTotal: number;
  /** More tasks of other nodes that it takes. */
  readonly room: number;
  readonly version: string;
  /** By its own clock. */
  readonly heartbeatAt: string | null;
  /** Its last sign of life by the clocks of the store and of this node. */
  readonly seenAt: string | null;
  /** The first characters of the SHA-256 of the key that counts, to compare over another channel. */
  readonly keyId: string;
  /** The key that it shows now, where that is another one. */
  readonly shownKeyId: string | null;
}

export interface PeerAgentView {
  readonly name: string;
  readonly role: string;
  readonly provider: string;
  readonly model: string;
  /** This node owns the name in the federation; others with an agent of that name stand by. */
  readonly isOwner: boolean;
  readonly load: number;
  readonly slots: number;
}

export interface NodeStatusAnswer {
  readonly nodeId: string;
  /** The name of the federation. */
  readonly federation: string;
  readonly transport: 'nats' | 'local' | 'memory';
  readonly connected: boolean;
  /** Why the last try to connect failed. */
  readonly problem: string | null;
  readonly version: string;
  /** `first`: a node counts with the key that it showed first. `listed`: only after a person trusted it. */
  readonly trustRule: 'first' | 'listed';
  readonly gapPolicy: 'tombstone' | 'skip' | 'halt';
  /** The agents that this node offers. */
  readonly agents: readonly PeerAgentView[];
  /** At most 500; those that this node has met first. */
  readonly peers: readonly PeerView[];
  readonly peersTotal: number;
  /** Open incidents of the federation. */
  readonly incidents: readonly NodeIncidentView[];
  readonly epoch: string;
  /** The end of the own outbox. */
  readonly seq: number;
  readonly keyId: string;
  /** The agents of this node that it owns in the federation. */
  readonly owned: readonly string[];
}

/** An open incident of the federation. */
export interface NodeIncidentView {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  /** The node that it is about; null where it is about none. */
  readonly node: string | null;
  /** Verbs of `baton node` that settle it. */
  readonly actions: readonly string[];
  readonly openedAt: string;
}

/** One direction between two nodes: a reader and the outbox that it reads. */
export interface LinkView {
  readonly source: string;
  readonly reader: string;
  readonly seq: number;
  readonly cursor: number;
  readonly lag: number;
}

export interface LinkList {
  /** At most 1,000; those that lag most first. */
  readonly links: readonly LinkView[];
  readonly total: number;
}

export interface DismissAnswer {
  readonly id: string;
  readonly kind: string;
  readonly closedAt: string;
}

export interface JoinAnswer {
  readonly nodeId: string;
  readonly transport: 'nats' | 'local';
  /** The file that remembers it. */
  readonly file: string;
  readonly peers: number;
}

export interface LeaveAnswer {
  readonly nodeId: string;
  readonly file: string;
}

export interface TrustAnswer {
  readonly nodeId: string;
  readonly trust: 'known' | 'trusted' | 'removed';
  readonly keyId: string;
}

/** A capability as its catalog and index records have it, with the warnings of its publication. */
export interface CapabilityView {
  /** As Runtime v1 has it. */
  readonly catalog: Readonly<Record<string, unknown>>;
  /** Empty for a capability that was removed. */
  readonly eligibleAgentIds: readonly string[];
  readonly policyVersion: string | null;
  readonly warnings?: readonly string[];
  /** The agents that its delegation skill went to; absent on nodes that did not publish it. */
  readonly skillTargets?: readonly SkillTargetView[];
  /** Reviews that this node knows of, newest first; absent in lists. */
  readonly reviews?: readonly CapabilityReviewView[];
  /** The experience of this node with it; absent in lists. */
  readonly figures?: CapabilityFiguresView;
}

export interface CapabilityReviewView {
  /** As Runtime v1 has it. */
  readonly record: Readonly<Record<string, unknown>>;
  /** The agent whose work it is about; empty for none. */
  readonly agentId: string;
  /** The node that opened it. */
  readonly openedBy: string;
  readonly detail: string;
  readonly closedAt: string | null;
  readonly closedBy: string | null;
  readonly note: string | null;
}

/** The last tasks that this node sent to a capability. */
export interface CapabilityFiguresView {
  readonly uses: number;
  /** Tasks whose checks passed. */
  readonly checked: number;
  /** Tasks that somebody accepted, and of those the ones that were done in time. */
  readonly accepted: number;
  readonly etaKept: number;
  readonly costUsd: number;
}

/** An agent that installs a skill of another node. */
export interface SkillTargetView {
  readonly agentId: string;
  readonly nodeId: string;
  readonly skill: string;
  readonly version: string;
  readonly state: 'waiting' | 'accepted' | 'confirmed' | 'refused';
  readonly reason: string | null;
  readonly requiredBy: string;
  /** It has not confirmed by then. */
  readonly late: boolean;
}

export interface CapabilityList {
  readonly capabilities: readonly CapabilityView[];
}

/** The fate of an event at one of its recipients. */
export interface DeliveryView {
  readonly agentId: string;
  readonly nodeId: string;
  readonly acceptedAt: string | null;
  readonly processedAt: string | null;
  readonly failedAt: string | null;
}

export interface SentMessageView {
  /** As Runtime v1 has it. */
  readonly envelope: Readonly<Record<string, unknown>>;
  readonly receipts: readonly DeliveryView[];
}

export interface SentMessages {
  readonly messages: readonly SentMessageView[];
}

export interface MessageList {
  /** Envelopes as Runtime v1 has them, oldest first. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}
