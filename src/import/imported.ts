import type { DesiredAccess, UserGrantRolesInput } from '../index.js'

/** The content of an export. */
export interface Imported {
  /**
   * In the order of the export. Apply the `access` of all before the `userGrants` of any, since users may have roles of
   * another organization's project. An organization comes again when it has more than 1,000 projects or providers.
   */
  readonly organizations: readonly ImportedOrganization[]
  /**
   * Everything that was changed or left out, and why, in the order of the export. Of one kind, the first 1,001 are listed;
   * the last of them counts the others as `more`.
   */
  readonly warnings: readonly ImportWarning[]
}

/** The content of one organization. */
export interface ImportedOrganization {
  /** As in the export; if that is not a valid id, one derived from it, always the same for the same id. */
  readonly orgId: string
  /** For `iam.plan` and `iam.apply`. `managedBy` is `import:` and the name of the source; it prunes nothing. */
  readonly access: DesiredAccess
  /** For `iam.userGrants.import`, after `access` was applied. */
  readonly userGrants: readonly UserGrantRolesInput[]
}

/** Why something was changed or left out. A later version may have more. */
export type ImportWarningKind =
  | 'Malformed'
  | 'Doubled'
  | 'TooMany'
  | 'IdChanged'
  | 'NameChanged'
  | 'KeyUnusable'
  | 'SecretMissing'
  | 'ProviderUnsupported'
  | 'ProviderIncomplete'
  | 'ScopesChanged'
  | 'MappingLeft'
  | 'RegistrationOff'
  | 'DomainLeft'
  | 'ProjectUnknown'
  | 'GroupUnknown'
  | 'RoleUnknown'
  | 'GrantMissing'
  | 'OrganizationUnknown'
  | 'NoRoles'
  | 'UserUnknown'
  | 'UserNamed'
  | 'UserDisabled'
  | 'ClientDisabled'
  | 'RolesExpanded'
  | 'Internal'
  | 'OrganizationMissing'
  | 'PermissionsLeft'
  | 'NotKept'
  | 'TooLarge'

/** The action and the message of each kind. */
const WARNINGS: Readonly<
  Record<ImportWarningKind, readonly [action: ImportWarning['action'], message: string]>
> = {
  Malformed: ['left', 'It does not have the shape that this export has'],
  Doubled: ['left', 'Another with the same id or key comes before it'],
  TooMany: ['left', 'There are more than one object can have'],
  IdChanged: [
    'changed',
    'The id is longer than 64 characters or has others than letters, digits and . _ : @ ~ -: another is derived from it',
  ],
  NameChanged: [
    'changed',
    'The name is missing, longer than 200 characters or has characters that cannot be kept',
  ],
  KeyUnusable: [
    'left',
    'The key or id is missing, longer than 200 characters or has characters that cannot be kept',
  ],
  SecretMissing: [
    'changed',
    'The client secret is masked, missing or longer than 200 characters: a new provider is added as inactive; set its secret, then reactivate it',
  ],
  ProviderUnsupported: ['left', 'Only providers of OpenID Connect with a known issuer are kept'],
  ProviderIncomplete: [
    'left',
    'The issuer or client id is missing, longer than 200 characters or has characters that cannot be kept',
  ],
  ScopesChanged: [
    'changed',
    'Scopes are left out that no request can have, or that come after the first 100',
  ],
  MappingLeft: [
    'left',
    'Only two kinds are kept: the name of a user from the claim preferred_username, email or name, and roles or a group from one value of the claim groups',
  ],
  RegistrationOff: [
    'changed',
    'Unknown users have a way of their own to be registered: the provider registers none',
  ],
  DomainLeft: ['left', 'A domain is proven again by its organization before it leads anywhere'],
  ProjectUnknown: ['left', 'The project is not in the export'],
  GroupUnknown: ['left', 'The group is not in the export'],
  RoleUnknown: ['left', 'The project has no such role in the export'],
  GrantMissing: ['left', 'The project is not granted with this role to the organization'],
  OrganizationUnknown: ['left', 'It names no organization that could be granted the project'],
  NoRoles: ['left', 'It gives no role'],
  UserUnknown: ['left', 'The user has no id that can be kept'],
  UserNamed: ['changed', 'The user has no id: the name stands for it'],
  UserDisabled: ['left', 'The user is disabled'],
  ClientDisabled: ['changed', 'The client is disabled; its project is added as active'],
  RolesExpanded: ['changed', 'Its roles are given to each user who has it'],
  Internal: ['left', 'It is built into the other system, and gives rights there alone'],
  OrganizationMissing: ['left', 'It belongs to no organization'],
  PermissionsLeft: ['left', 'A role is a key; what it permits is up to the application'],
  NotKept: ['left', 'Nothing of this kind is kept'],
  TooLarge: [
    'left',
    'Its groups are nested too deep, or its users, groups and roles multiply to too many: nothing is imported',
  ],
}

/** Something that was changed or left out. It contains no value of the export. */
export interface ImportWarning {
  /** Why. */
  readonly kind: ImportWarningKind
  /** `changed`: imported in another form. `left`: not imported. */
  readonly action: 'changed' | 'left'
  /** Where in the export, such as `orgs[0].projects[2].project.name`; empty for all of it. */
  readonly path: string
  /** The reason in words. */
  readonly message: string
  /** How many further warnings of this kind there are, which are not listed; absent for none. */
  readonly more?: number
}

/** Adds a warning about the value at `path`. */
export type Warn = (kind: ImportWarningKind, path: string) => void

/** The warnings of one import. */
interface Report {
  readonly warnings: readonly ImportWarning[]
  readonly warn: Warn
}

/** @see Report */
export const openReport = (): Report => {
  type Counting = ImportWarning & { more?: number }
  const warnings: Counting[] = []
  const listed = new Map<ImportWarningKind, { count: number; last?: Counting }>()
  return {
    warnings,
    warn: (kind, path) => {
      const ofKind = listed.get(kind) ?? { count: 0 }
      listed.set(kind, ofKind)
      if (ofKind.last) {
        ofKind.last.more = (ofKind.last.more ?? 0) + 1
        return
      }
      const [action, message] = WARNINGS[kind]
      const warning: Counting = { kind, action, path, message }
      warnings.push(warning)
      if (++ofKind.count > MAX_LISTED) ofKind.last = warning
    },
  }
}

/** Warnings of one kind that are listed, before the last one, which counts the others. */
const MAX_LISTED = 1_000
