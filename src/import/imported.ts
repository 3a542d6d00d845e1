import type { DesiredAccess, UserGrantRolesInput } from '../index.js'

/** The content of an export, for the library. */
export interface Imported {
  /**
   * In the order of the export. Apply the `access` of all organizations before any `userGrants`, because users may have
   * roles in another organization's project. An organization with more than 1,000 projects or providers has several
   * entries.
   */
  readonly organizations: readonly ImportedOrganization[]
  /**
   * Everything that was changed or left out, and why, in the order of the export. At most 1,001 of one kind are listed;
   * the last one counts the others in `more`.
   */
  readonly warnings: readonly ImportWarning[]
}

/** The content of one organization. */
export interface ImportedOrganization {
  /** The id in the export; if it is not valid, an id derived from it, always the same for the same id. */
  readonly orgId: string
  /** For `iam.plan` and `iam.apply`. `managedBy` is `import:` and the name of the source; it prunes nothing. */
  readonly access: DesiredAccess
  /** For `iam.userGrants.import`, after `access` was applied. */
  readonly userGrants: readonly UserGrantRolesInput[]
}

/** Why something was changed or left out. Later versions may add kinds. */
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
  | 'RealmDisabled'
  | 'ClientDisabled'
  | 'RolesExpanded'
  | 'UsersMissing'
  | 'RealmMissing'
  | 'AdapterFile'
  | 'AdmissionKept'
  | 'AdmissionLeft'
  | 'IssuersLeft'
  | 'DefaultsLeft'
  | 'LinksLeft'
  | 'OrganizationMissing'
  | 'PermissionsLeft'
  | 'NotKept'
  | 'TooLarge'

const WARNINGS: Readonly<
  Record<ImportWarningKind, readonly [action: ImportWarning['action'], message: string]>
> = {
  Malformed: ['left', 'It does not have the expected form of this export'],
  Doubled: ['left', 'An earlier one has the same id or key'],
  TooMany: ['left', 'There are more than one object can have'],
  IdChanged: [
    'changed',
    'The id is longer than 64 characters or has characters other than letters, digits and . _ : @ ~ -: a new one is derived from it',
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
  ProviderUnsupported: ['left', 'Only OpenID Connect providers with a known issuer are imported'],
  ProviderIncomplete: [
    'left',
    'The client id is missing, a placeholder, longer than 200 characters or has characters that cannot be kept',
  ],
  ScopesChanged: ['changed', 'Malformed scopes, and those after the first 100, are left out'],
  MappingLeft: [
    'left',
    'Only two kinds are kept: the name of a user from the claim preferred_username, email or name, and roles or a group from one value of the claim groups',
  ],
  RegistrationOff: [
    'changed',
    'Unknown users are registered by a custom flow there: the imported provider registers none',
  ],
  DomainLeft: ['left', 'The organization must verify the domain again'],
  ProjectUnknown: ['left', 'The project is not in the export'],
  GroupUnknown: ['left', 'The group is not in the export'],
  RoleUnknown: ['left', 'The project has no such role in the export'],
  GrantMissing: ['left', 'The project is not granted with this role to the organization'],
  OrganizationUnknown: ['left', 'It does not name an organization to grant the project to'],
  NoRoles: ['left', 'It gives no role'],
  UserUnknown: ['left', 'The user has no usable id'],
  UserNamed: ['changed', 'The user has no id: the name is used instead'],
  UserDisabled: ['left', 'The user is disabled, like every user without `enabled`'],
  RealmDisabled: [
    'left',
    'The realm is not enabled: its users get no roles, and new providers are added as inactive',
  ],
  ClientDisabled: ['changed', 'The client is disabled; its project is added as active'],
  RolesExpanded: ['changed', 'Its roles are given to each user who has it'],
  UsersMissing: [
    'left',
    'The export has no users, like a partial export of the admin console: export the realm with kc.sh and its users, or add the files with the users',
  ],
  RealmMissing: [
    'left',
    'It is part of an export without the realm: import it together with the file of the realm',
  ],
  AdapterFile: [
    'left',
    'It is the configuration of a client or an adapter, not the export of a realm',
  ],
  AdmissionKept: [
    'changed',
    'This rule about who may sign in becomes a rule of admit, which the user info can meet too: preview a sign-in',
  ],
  AdmissionLeft: [
    'changed',
    'This rule about who may sign in is not imported: a new provider is added as inactive; reactivate it once another rule keeps out the same people',
  ],
  IssuersLeft: [
    'changed',
    'A provider has one issuer: the first is kept, and a new provider is added as inactive',
  ],
  DefaultsLeft: ['left', 'New users do not get these roles automatically'],
  LinksLeft: [
    'left',
    'The accounts of users at identity providers are not imported: your host links them at the next sign-in',
  ],
  OrganizationMissing: ['left', 'It does not belong to an organization'],
  PermissionsLeft: ['left', 'Authorization rules are not imported: a role is only a key'],
  NotKept: ['left', 'This kind of object is not imported'],
  TooLarge: [
    'left',
    'Its groups are nested too deeply, or its users, groups and roles combine to too many grants: nothing is imported',
  ],
}

/** Something that was changed or left out. It contains no value of the export. */
export interface ImportWarning {
  /** Why. */
  readonly kind: ImportWarningKind
  /** `changed`: imported in another form. `left`: not imported. */
  readonly action: 'changed' | 'left'
  /** Path in the export, such as `orgs[0].projects[2].project.name`; empty for the whole export. */
  readonly path: string
  /** The reason in words. */
  readonly message: string
  /** Number of further warnings of this kind that are not listed; absent without any. */
  readonly more?: number
}

/** Adds a warning about the value at `path`, in the words of the kind or in its own. */
export type Report = (kind: ImportWarningKind, path: string, message?: string) => void

/** The warnings of one import. */
export const openReport = (): {
  readonly warnings: readonly ImportWarning[]
  readonly report: Report
} => {
  type Counting = ImportWarning & { more?: number }
  const warnings: Counting[] = []
  const listed = new Map<ImportWarningKind, { count: number; last?: Counting }>()
  return {
    warnings,
    report: (kind, path, words) => {
      const ofKind = listed.get(kind) ?? { count: 0 }
      listed.set(kind, ofKind)
      if (ofKind.last) {
        ofKind.last.more = (ofKind.last.more ?? 0) + 1
        return
      }
      const [action, message] = WARNINGS[kind]
      const warning: Counting = { kind, action, path, message: words ?? message }
      warnings.push(warning)
      if (++ofKind.count > MAX_LISTED) ofKind.last = warning
    },
  }
}

/** Warnings of one kind that are listed, before the last one, which counts the others. */
const MAX_LISTED = 1_000
