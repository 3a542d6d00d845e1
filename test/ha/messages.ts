/** What a process does: `replica` leads its reads to the standbys. */
export interface Task {
  readonly name: string
  readonly connectionString: string
  readonly replica?: string
}

/** What a process tells of a command: where its events are; or that nothing was recorded, or may have been. */
export interface Answer {
  readonly type: 'answer'
  readonly key: string
  readonly answer: readonly string[] | 'nothing' | 'unknown'
  /** The project that was added, for others to look for. */
  readonly added?: string
}

/** What followers of the log saw, in turn: positions as text. */
export interface Followed {
  readonly type: 'followed'
  readonly followers: Readonly<Record<string, readonly string[]>>
}

/** What a process tells. */
export type Told =
  | { readonly type: 'ready' }
  | Answer
  | { readonly type: 'read'; readonly consistency: 'strong' | 'eventual' }
  /** What should not be. */
  | { readonly type: 'problem'; readonly text: string }
  | { readonly type: 'stopped' }
  | Followed

/** What a process is told. */
export type Order =
  /** A project that another process was answered for: from now on every strong read must see it. */
  | { readonly type: 'look'; readonly id: string }
  | { readonly type: 'stop' }
  /** The last event that followers are to see. */
  | { readonly type: 'report'; readonly head: string }
