/** What a system is asked to do, over and over. */
export type Task =
  /** Adds a role with a new key to one project, in a store that already holds some events. */
  | { readonly kind: 'add role'; readonly held: number }
  /** Updates projects in turn, alternating two configurations; each begins with some events. */
  | { readonly kind: 'update project'; readonly streams: number; readonly events: number }

/** A system with its store open and filled as the task wants. */
export interface Subject {
  /**
   * Makes call number `index`, which records one event: the count of events tells when it did not. What
   * it returns is awaited.
   */
  readonly call: (index: number) => unknown
  /** How many events the store holds, asked of the store itself. */
  readonly countEvents: () => Promise<number>
  readonly close: () => Promise<void>
}

/** What is measured. */
export interface System {
  readonly name: string
  readonly open: (task: Task) => Promise<Subject>
}

/** A system in a measurement. */
export interface Contestant {
  readonly name: string
  readonly open: () => Promise<Subject>
  /** Calls per round; fewer for slow systems, so that nobody waits for them. */
  readonly calls: number
  readonly inFlight: number
}

/** The role that call number `index` adds. */
export const roleOf = (index: number) => ({
  projectId: PROJECT_ID,
  roleKey: `role-${index}`,
  displayName: 'Editor in chief',
  group: 'content',
})

/** The configuration that call number `index` gives the project in question. */
export const projectOf = (index: number, streams: number) => ({
  id: projectIdOf(index % streams),
  name: Math.floor(index / streams) % 2 === 0 ? 'Portal' : 'Portal of the customers',
  projectRoleAssertion: true,
  projectRoleCheck: Math.floor(index / streams) % 2 === 0,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED' as const,
})

/** Call number at which the rounds begin, after the updates that fill the streams. */
export const firstCall = (task: Task): number =>
  task.kind === 'update project' ? task.streams * (task.events - 1) : 0

export const projectIdOf = (stream: number): string => `portal-${stream}`

export const ORG_ID = 'acme'
export const PROJECT_ID = projectIdOf(0)
