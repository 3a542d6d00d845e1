import type { Permission } from '../../domain/values.js'

/**
 * Names your desired state for the compiler: permissions that it does not declare no longer compile, and role keys are
 * completed. Nothing changes at run time.
 *
 * @example
 * ```ts
 * export const access = defineAccess({ … } as const satisfies DesiredAccess)
 * declare module 'claviger' {
 *   interface Register {
 *     access: typeof access
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: hosts add to it
export interface Register {}

/** The declared roles; `never` without a declaration. */
type RegisteredRole = Register extends { access: { readonly projects?: infer Projects } }
  ? RoleOf<ItemOf<Projects>>
  : never

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never
type RoleOf<Project> = Project extends { readonly roles: infer Roles } ? ItemOf<Roles> : never
type NamesOf<Role> = Role extends { readonly permissions: infer Names } ? ItemOf<Names> : never
type KeyOf<Role> = Role extends { readonly roleKey: infer Key } ? Key : never

/**
 * A permission of a role: one that your registered desired state declares, or one of claviger's own. Any text without a
 * {@link Register}.
 */
export type PermissionName = Register extends { access: unknown }
  ? Permission | NamesOf<RegisteredRole>
  : string

/** The key of a role. Registered keys are completed; others compile, because tenants may add roles. */
export type RoleKeyName = Register extends { access: unknown }
  ? KeyOf<RegisteredRole> | (string & {})
  : string
