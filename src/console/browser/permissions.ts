import { signal } from '@preact/signals'
import { accessService } from '../../transport/wire.js'
import { call, pathOf } from './api.js'
import type { AreaName } from './page-names.js'
import { settings } from './settings.js'

/**
 * The caller's permissions in the whole organization. `unknown` if they cannot be read: then everything is shown, and
 * the server decides.
 */
const permissions = signal<readonly string[] | 'unknown' | undefined>(undefined)

/** Who calls, and what the host shows and offers them. */
interface Session {
  readonly userId: string
  readonly areas?: readonly AreaName[]
  /** Where they may work. */
  readonly organizations?: readonly { readonly id: string; readonly name: string }[]
}
export const session = signal<Session | undefined>(undefined)

/** The parts of the console that are shown; all when absent. */
export const shownAreas = (): readonly AreaName[] | undefined =>
  session.value?.areas ?? settings.areas

const RETRY_MS = 3000

/** Reads the permissions of the caller, once for all pages: what may not be seen is then not asked for. */
export const readPermissions = async (): Promise<void> => {
  const outcome = await call<{
    readonly permissions?: readonly string[]
    readonly session?: Session
  }>({ method: 'GET', path: pathOf(accessService.listPermissions) })
  if ('body' in outcome) {
    session.value = outcome.body.session
    permissions.value = outcome.body.permissions ?? []
  } else if (outcome.failure.status !== 401) {
    permissions.value = 'unknown'
    if ([0, 503].includes(outcome.failure.status)) setTimeout(readPermissions, RETRY_MS)
  }
}

/** Whether the caller may use a permission in the organization as a whole; undefined until that is known. */
export const usePermission = (permission: string): boolean | undefined => {
  const { value } = permissions
  return value === 'unknown' || value?.includes(permission)
}

/** Whether the caller may use any permission with this ending, such as `.write`. */
export const useAnyPermission = (ending: string): boolean | undefined => {
  const { value } = permissions
  return value === 'unknown' || value?.some((each) => each.endsWith(ending))
}
