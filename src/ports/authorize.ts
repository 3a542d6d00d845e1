import type { Permission, PermissionTarget } from '../domain/values.js'

export type { Permission }

/** The requesting user, as the host authenticated them. */
export interface Caller {
  /** 1 to 200 characters. Stays in the log for ever: best an opaque id. */
  readonly userId: string
  /**
   * The organization of the user: 1 to 64 letters of ASCII, digits or any of `. _ : @ ~ -`, starting with
   * a letter or digit.
   */
  readonly orgId: string
  /**
   * What the user may do in their own organization, for `permissionsFromCaller`, which accepts a list alone:
   * anything else allows nothing, nor does an item that is no permission.
   */
  readonly permissions?: readonly Permission[] | undefined
  /** What the user may do in other organizations: such a list by their ids. */
  readonly permissionsIn?: Readonly<Record<string, readonly Permission[]>> | undefined
}

/** May `caller` use `permission` in the organization, or on the one object? */
export interface PermissionQuestion {
  /** Who asks. */
  readonly caller: Caller
  /** What they want to use. */
  readonly permission: Permission
  /** The organization whose objects are concerned. */
  readonly orgId: string
  /**
   * For a role, its project; for a list of roles, their project; for the history of one object, that object.
   * Absent when the question is about the whole organization, as for other lists.
   */
  readonly object?: PermissionTarget
}

/** The host's answer; anything but `true` is no. */
export type Authorize = (question: PermissionQuestion) => boolean | Promise<boolean>
