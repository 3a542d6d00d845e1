import * as z from 'zod/mini'

/** Longest text that a method accepts, in characters (Unicode code points). */
export const MAX_TEXT_LENGTH = 200

/** Most scopes of one identity provider. The specification gives no limit; see docs/decisions. */
export const MAX_SCOPES = 100

/** The message for an absent value or a wrong type; never repeats the value. */
const expected =
  (what: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? 'is required' : `must be ${what}`

/** Why a store cannot keep `value`; undefined if it can. */
export const unstorable = (value: string): string | undefined => {
  if (!value.isWellFormed()) return 'must not contain a lone surrogate'
  if (value.includes('\0')) return 'must not contain the character U+0000'
  return undefined
}

const countCodePoints = (value: string): number => {
  let count = 0
  for (const _ of value) count++
  return count
}

// A code point takes one or two UTF-16 units: most texts need not be counted.
const isTooLong = (value: string): boolean =>
  value.length > MAX_TEXT_LENGTH &&
  (value.length > 2 * MAX_TEXT_LENGTH || countCodePoints(value) > MAX_TEXT_LENGTH)

const objectionToText = (value: string): string | undefined =>
  isTooLong(value) ? `must be at most ${MAX_TEXT_LENGTH} characters` : unstorable(value)

const objectionToRequiredText = (value: string): string | undefined =>
  value === '' ? 'must not be empty' : objectionToText(value)

const textWithout = (objection: (value: string) => string | undefined) =>
  z.string({ error: expected('text') }).check(
    z.refine((value) => objection(value) === undefined, {
      error: ({ input }) => (typeof input === 'string' ? objection(input) : undefined),
    }),
  )

/** At most {@link MAX_TEXT_LENGTH} characters of well-formed text without U+0000; may be empty. */
export const text = textWithout(objectionToText)

/** {@link text} that is not empty. White space counts, because nothing is trimmed. */
export const requiredText = textWithout(objectionToRequiredText)

/** Whether `value` is {@link requiredText}; for code that needs no message. */
export const isRequiredText = (value: unknown): value is string =>
  typeof value === 'string' && objectionToRequiredText(value) === undefined

/** True or false; false when absent. */
export const flag = z._default(z.boolean({ error: expected('true or false') }), false)

/** One of `values`; the message never repeats the value. */
export const choice = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` })

/** Most violations that are reported of one input, and most malformed items of one list. */
export const MAX_REPORTED = 100

/**
 * A list of `least` to `most` items; its length is checked before its items. The resulting list is frozen, not the
 * input: zod would freeze a refused input too.
 */
export const listOf = <Item extends z.ZodMiniType>(item: Item, least: number, most: number) =>
  z.pipe(
    z.custom<readonly z.input<Item>[]>(Array.isArray, { error: expected('a list') }).check(
      z.minLength(least, {
        error: `must have at least ${least} item${least === 1 ? '' : 's'}`,
        abort: true,
      }),
      z.maxLength(most, { error: `must have at most ${most} items`, abort: true }),
    ),
    z.readonly(itemsOf(item)),
  )

/**
 * `z.array`, which ends at the last malformed item that is reported, because zod passes all issues as arguments of one
 * call, whose number is limited. Compiled code reads the items of a well-formed list without it.
 */
const itemsOf = <Item extends z.ZodMiniType>(item: Item) => {
  const list = z.array(item)
  const run: typeof list._zod.run = (payload, context) => {
    const values: readonly unknown[] = payload.value
    const output: unknown[] = []
    let malformed = 0
    for (const [index, value] of values.entries()) {
      const parsed = item._zod.run({ value, issues: [] }, context)
      // Not a `$ZodAsyncError`: naming `z.core` brings all of zod into a bundle.
      if (parsed instanceof Promise) throw new TypeError('A list needs items without async checks')
      output.push(parsed.value)
      if (parsed.issues.length === 0) continue
      for (const issue of parsed.issues)
        payload.issues.push({ ...issue, path: [index, ...(issue.path ?? [])] })
      if (++malformed === MAX_REPORTED) break
    }
    payload.value = output
    return payload
  }
  list._zod.parse = run
  list._zod.run = run
  return list
}

/** The violation of a wrong item, and its path within the item. */
interface ItemViolation {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * Refuses the wrong items of a list, and reports as many as one error may.
 *
 * @param checkFor - makes the check of one list, which is given its items in order: true for a wrong one
 */
export const refuseItems = <Item>(
  { path, message }: ItemViolation,
  checkFor: (items: readonly Item[]) => (item: Item) => boolean,
) =>
  z.superRefine<readonly Item[]>((items, { addIssue }) => {
    const isWrong = checkFor(items)
    let reported = 0
    for (const [index, item] of items.entries()) {
      if (!isWrong(item)) continue
      addIssue({ code: 'custom', path: [index, ...path], message })
      if (++reported === MAX_REPORTED) return
    }
  })

/** Refuses each item of a list whose `identity`, at `path` within it, an earlier item has. */
export const onlyOnce = <Item>(identity: (item: Item) => string, path: readonly PropertyKey[]) =>
  refuseItems<Item>({ path, message: 'must not appear twice' }, () => {
    const seen = new Set<string>()
    return (item) => seen.size === seen.add(identity(item)).size
  })

const ID = /^[A-Za-z0-9][A-Za-z0-9._:@~-]{0,63}$/

/** The rule of {@link isId} in words. */
export const ID_IN_WORDS =
  '1 to 64 letters, digits or any of . _ : @ ~ -, starting with a letter or digit'

/** Whether `value` is a well-formed id; for code that needs no message. */
export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

/** Without `+`, which separates the ids in a {@link StreamId}. */
const id = z.string({ error: expected(ID_IN_WORDS) }).check(z.regex(ID))

/**
 * An organization: the resource owner of every object. 1 to 64 ASCII letters, digits or any of `. _ : @ ~ -`, starting
 * with a letter or digit.
 */
export const OrgId = id.brand<'OrgId'>()
export type OrgId = z.infer<typeof OrgId>

/** An identity provider. 1 to 64 characters, as of an {@link OrgId}; unique within its organization. */
export const IdpId = id.brand<'IdpId'>()
export type IdpId = z.infer<typeof IdpId>

/** A set-up link. 1 to 64 characters, as of an {@link OrgId}; unique within its organization. */
export const LinkId = id.brand<'LinkId'>()
export type LinkId = z.infer<typeof LinkId>

/** A project. 1 to 64 characters, as of an {@link OrgId}; unique within its organization. */
export const ProjectId = id.brand<'ProjectId'>()
export type ProjectId = z.infer<typeof ProjectId>

/**
 * The key that authorization checks use; unique within its project. 1 to 200 characters, compared code point by code
 * point, without case folding or normalization.
 */
export const RoleKey = requiredText.brand<'RoleKey'>()
export type RoleKey = z.infer<typeof RoleKey>

/** Whether two lists of role keys, each without duplicates, name the same roles in any order. */
export const sameRoles = (one: readonly string[], other: readonly string[]): boolean => {
  const keys = new Set(one)
  return keys.size === other.length && other.every((roleKey) => keys.has(roleKey))
}

/**
 * A permission of a role, named by your code, such as `invoice.approve`: 1 to 100 ASCII letters, digits or any of
 * `. _ : / -`, starting with a letter or digit. Names are compared whole: there are no wildcards.
 */
export const RolePermission = z
  .string({
    error: expected(
      '1 to 100 letters, digits or any of . _ : / -, starting with a letter or digit',
    ),
  })
  .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$/))

/** Most permissions of one role. */
export const MAX_ROLE_PERMISSIONS = 200

/** The permissions of a role: at most {@link MAX_ROLE_PERMISSIONS}, without duplicates. */
export const RolePermissions = listOf(RolePermission, 0, MAX_ROLE_PERMISSIONS).check(
  onlyOnce((permission: string) => permission, []),
)

/** Your id of a user, opaque to the library: 1 to 200 characters (at most 800 bytes of UTF-8). */
export const UserId = requiredText.brand<'UserId'>()
export type UserId = z.infer<typeof UserId>

/**
 * A group of an identity provider, as the provider names it: 1 to 200 characters (at most 800 bytes of UTF-8), compared
 * code point by code point.
 */
export const GroupName = requiredText.brand<'GroupName'>()
export type GroupName = z.infer<typeof GroupName>

/**
 * Your id of one resource of a project, such as `workspace:42`, opaque to the library: 1 to 200 characters (at most 800
 * bytes of UTF-8), compared code point by code point.
 */
export const Resource = requiredText.brand<'Resource'>()
export type Resource = z.infer<typeof Resource>

/** Most groups of one report. */
export const MAX_REPORTED_GROUPS = 1_000

/** Longest time that a report counts, in hours: a year. */
const MAX_VALID_FOR = 8_760

const A_NUMBER_OF_HOURS = `must be a whole number of hours from 1 to ${MAX_VALID_FOR}`

/** How long a report counts, in hours. */
export const ValidFor = z
  .int({ error: A_NUMBER_OF_HOURS })
  .check(z.minimum(1), z.maximum(MAX_VALID_FOR))

/** A time in RFC 3339, in UTC, with milliseconds, as `Date.toISOString` writes it. */
export const ExpiryTime = z.string().check(
  z.refine((text) => {
    const time = new Date(text)
    return !Number.isNaN(time.getTime()) && time.toISOString() === text
  }),
)

/** Most roles of one grant. */
export const MAX_GRANTED_ROLES = 400

/** A client secret that a `SecretCipher` encrypted; opaque to everything else. */
export const SealedSecret = z
  .string({ error: expected('text') })
  .check(z.refine((sealed) => sealed !== '', { error: 'must not be empty' }))
  .brand<'SealedSecret'>()
export type SealedSecret = z.infer<typeof SealedSecret>

/** Name of an event stream: a category, `-`, then the ids of one object, joined by `+`. */
export type StreamId = `${string}-${string}`

/** A reference to an object: its type and ids. */
export type ObjectRef =
  | IdentityProviderRef
  | ProjectRef
  | ProjectRoleRef
  | ProjectGrantRef
  | UserGrantRef
  | DomainRef
  | RoleMappingRef
  | MembershipRef
  | SetupLinkRef

/** Names an identity provider within its organization. */
export interface IdentityProviderRef {
  readonly type: 'identity_provider'
  /** Id of the provider. */
  readonly idpId: string
}

/** Names a project within its organization. */
export interface ProjectRef {
  readonly type: 'project'
  /** Id of the project. */
  readonly id: string
}

/** Names a role within its organization. */
export interface ProjectRoleRef {
  readonly type: 'project_role'
  /** The `id` of its project. */
  readonly projectId: string
  /** Unique within the project. */
  readonly roleKey: string
}

/** Names a grant of a project to another organization, within the organization that owns the project. */
export interface ProjectGrantRef {
  readonly type: 'project_grant'
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that may give roles of the project to its users. */
  readonly grantedOrgId: string
}

/** Names a grant of roles to a user, within the organization of the user. */
export interface UserGrantRef {
  readonly type: 'user_grant'
  /** Your id of the user. */
  readonly userId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. Default: the user's organization. */
  readonly projectOrgId?: string | undefined
  /** The resource that the roles are given on; absent for the whole project. */
  readonly resource?: string | undefined
}

/** Names a domain within its organization. */
export interface DomainRef {
  readonly type: 'domain'
  /** In ASCII and lower case, such as `example.com`. */
  readonly domain: string
}

/** Names a mapping of a group to roles of a project, within the organization of the provider. */
export interface RoleMappingRef {
  readonly type: 'role_mapping'
  /** Id of the provider. */
  readonly idpId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. Default: the provider's organization. */
  readonly projectOrgId?: string | undefined
  /** The group, as the provider names it. */
  readonly group: string
  /** The resource that the roles are given on; absent for the whole project. */
  readonly resource?: string | undefined
}

/** Names a provider's report about a user, within the organization of the provider. */
export interface MembershipRef {
  readonly type: 'membership'
  /** Id of the provider. */
  readonly idpId: string
  /** Your id of the user. */
  readonly userId: string
}

/** Names a set-up link within its organization. */
export interface SetupLinkRef {
  readonly type: 'setup_link'
  /** Id of the link. */
  readonly linkId: string
}

/**
 * The names of the ids of each type of object. Those of its container come first; `projectOrgId`, the organization that
 * owns the project, and `resource` come last and may be absent.
 */
export const OBJECT_IDS: {
  readonly [Ref in ObjectRef as Ref['type']]: readonly Exclude<keyof Ref & string, 'type'>[]
} = {
  identity_provider: ['idpId'],
  project: ['id'],
  project_role: ['projectId', 'roleKey'],
  project_grant: ['projectId', 'grantedOrgId'],
  user_grant: ['userId', 'projectId', 'projectOrgId', 'resource'],
  domain: ['domain'],
  role_mapping: ['idpId', 'group', 'projectId', 'projectOrgId', 'resource'],
  membership: ['idpId', 'userId'],
  setup_link: ['linkId'],
}

/** A right that a method requires. */
export type Permission = (typeof PERMISSIONS)[number]

/** Every permission, sorted by name. */
export const PERMISSIONS = [
  'desired_state.write',
  'domain.read',
  'domain.write',
  'event.read',
  'identity_provider.read',
  'identity_provider.secret.read',
  'identity_provider.write',
  'membership.read',
  'membership.write',
  'project.grant.read',
  'project.grant.write',
  'project.read',
  'project.role.read',
  'project.role.write',
  'project.write',
  'role_mapping.read',
  'role_mapping.write',
  'setup_link.read',
  'setup_link.write',
  'user.grant.read',
  'user.grant.write',
] as const

/** The object that a caller needs a permission on. */
export type PermissionTarget =
  | OwnedTarget
  | GrantedProjectTarget
  | ProjectRoleTarget
  | RoleMappingTarget
  | DesiredStateTarget

/** An object of the organization of the question. */
export interface OwnedTarget {
  /** The type of the object. */
  readonly type: 'identity_provider' | 'project' | 'domain' | 'setup_link'
  /** An `idpId`, the `id` of a project, a domain in ASCII, or a `linkId`; unique only within its organization. */
  readonly id: string
  /** Of a project: the resource that roles are given on, or asked for; absent for the whole project. */
  readonly resource?: string | undefined
  /** Absent: only a role and a mapping have it. */
  readonly projectId?: undefined
}

/** A role that is written. */
export interface ProjectRoleTarget extends ProjectRoleRef {
  /** Never: the name of its project is `projectId`. */
  readonly id?: undefined
}

/** A mapping of a group that is written. */
export interface RoleMappingTarget extends RoleMappingRef {
  /** Never: the id of its provider is `idpId`. */
  readonly id?: undefined
}

/** A desired state that is applied under a name. */
export interface DesiredStateTarget {
  readonly type: 'desired_state'
  /** Its `managedBy`: what was applied under this name belongs to it. */
  readonly managedBy: string
  /** Never: it has no id. */
  readonly id?: undefined
  /** Absent: only a role and a mapping have it. */
  readonly projectId?: undefined
}

/** A project of another organization, which it may have granted to the organization of the question. */
export interface GrantedProjectTarget {
  readonly type: 'granted_project'
  /** The `id` of the project; unique only within `orgId`. */
  readonly id: string
  /** The organization that owns the project. */
  readonly orgId: string
  /** The resource that roles are given on, or asked for; absent for the whole project. */
  readonly resource?: string | undefined
  /** Absent: only a role and a mapping have it. */
  readonly projectId?: undefined
}

/** Whether `value` has properties; arrays have, too. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The property `field` of a value of any type; undefined when it has none. */
export const fieldOf = (value: unknown, field: string): unknown =>
  isRecord(value) ? value[field] : undefined
