// Requests and answers about other machines.

/** A node of the federation, as this one sees it. */
export interface PeerView {
  readonly nodeId: string;
  readonly alive: boolean;
  /** The end of its outbox, as far as it is known here. */
  readonly seq: number;
  /** The place of this node in it: everything up to there is stored here, or was for others. */
  readonly cursor: number;
  readonly lag: number;
  /** Ranges that are missing: waited for, or given up on. */
  readonly gaps: number;
  readonly trust: 'known' | 'trusted' | 'removed';
  readonly agents: readonly PeerAgentView[];
  readonly version: string;
  readonly heartbeatAt: string | null;
  /** The first characters of the SHA-256 of its key, to compare over another channel. */
  readonly keyId: string;
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
  readonly transport: 'nats' | 'local' | 'memory';
  readonly connected: boolean;
  readonly peers: readonly PeerView[];
  /** Open incidents of the federation. */
  readonly incidents: readonly {
    readonly id: string;
    readonly kind: string;
    readonly detail: string;
    readonly openedAt: string;
  }[];
  readonly epoch: string;
  /** The end of the own outbox. */
  readonly seq: number;
  readonly keyId: string;
  /** The agents of this node that it owns in the federation. */
  readonly owned: readonly string[];
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
