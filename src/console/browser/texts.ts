import type { ComponentChildren } from 'preact'
import { settings } from './settings.js'

const MAPPINGS = {
  OIDC_MAPPING_FIELD_UNSPECIFIED: 'default',
  OIDC_MAPPING_FIELD_PREFERRED_USERNAME: 'preferred_username',
  OIDC_MAPPING_FIELD_EMAIL: 'email',
}

/** Texts by a name that data holds, such as the type of an event. */
type Named = Readonly<Record<string, string>>

/** A text for each form of the plural that a language has, as `Intl.PluralRules` names them. */
type Plural = { readonly other: string } & {
  readonly [form in 'zero' | 'one' | 'two' | 'few' | 'many']?: string
}

const plural = (one: string, other: string): Plural => ({ one, other })

/** All texts of the console, in English. `{name}` stands for a value. */
const ENGLISH = {
  title: 'Access',
  skip: 'Skip to content',
  menu: 'Pages',
  backToApp: 'Back to the application',
  signIn: 'Sign in',
  signOut: 'Sign out',
  overview: 'Overview',
  providers: 'Single sign-on',
  provider: 'Identity provider',
  projects: 'Projects',
  project: 'Project',
  projectOwner: '{name}, of {org}',
  role: 'Role',
  roles: 'Roles',
  projectGrant: 'Project grant',
  projectGrants: 'Granted to other organizations',
  received: 'Received from other organizations',
  users: 'Users and roles',
  usersAbout: 'One line for each user and project.',
  user: 'User',
  userGrant: 'Roles of a user',
  userGrants: 'Users with roles',
  domains: 'Domains',
  domain: 'Domain',
  /** The guided set-up. */
  setUp: {
    title: 'Set up single sign-on',
    about:
      'Your people sign in with the accounts that they have already. Nothing changes for anybody until you switch it on.',
    over: 'This link does not open. It may have expired, been withdrawn or been finished with. Ask for a new one where you got it.',
    connect: 'Connect your identity provider',
    connected: '{provider} is connected.',
    goOn: 'Go on with',
    which: 'Which one do you use?',
    noRedirectUri: 'the redirect URI, which the developers of the application know',
    name: 'Name on the sign-in page',
    issuer: 'Issuer or address of the discovery document',
    issuerHint: 'Such as https://login.example.com, without /.well-known/openid-configuration.',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    scopes: 'Scopes',
    register: 'Let people in who sign in for the first time',
    connectNow: 'Connect',
    tryAbout: 'Then sign in yourself, in another window:',
    tryNow: 'Sign in with it',
    prove: 'Prove your domain',
    proveAbout: 'The domain of your e-mail addresses decides who is sent to your provider.',
    domain: 'Domain, such as example.com',
    addDomain: 'Add the domain',
    publish: 'Publish this record in the DNS of the domain, then check it:',
    proveNow: 'Check the record',
    notYet: 'The record is not there yet. DNS may take an hour; this page may stay open.',
    proven: '{domain} is proven.',
    switchOn: 'Switch it on',
    proveFirst: 'Prove a domain first.',
    switchOnFor: 'Switch on for {domain}',
    isOn: 'On: people with addresses of {domain} sign in with {provider}.',
    finish: 'Finish',
    finishAbout: 'Then this link does not open again.',
    finishNow: 'Finish',
    finished: 'All done. You may close this window.',
    issue: 'Make a link',
    issueAbout:
      'For somebody without an account here, such as the IT department of a customer. Whoever has the link can set up what you choose until it expires.',
    made: 'Send this link. It is shown only now.',
    until: 'It opens until the end of',
    note: 'Note',
    noteHint: 'For yourself, such as whom you send it to. It stays on record.',
    close: 'Close',
  },
  /** What a link is for. */
  intents: {
    provider: 'Connecting an identity provider',
    domain: 'Proving a domain',
    groups: 'Mapping groups to roles',
  } as Named,
  /** Providers that the guided set-up knows, and what to do there, a line each step. */
  setUpKinds: {
    entra: 'Microsoft Entra ID',
    okta: 'Okta',
    google: 'Google Workspace',
    keycloak: 'Keycloak',
    jumpcloud: 'JumpCloud',
    other: 'Another',
  } as Named,
  setUpSteps: {
    entra:
      'In the Microsoft Entra admin center open App registrations and choose New registration.\nAs redirect URI choose Web and enter {redirectUri}\nUnder Certificates & secrets add a client secret, and copy its value.\nUnder Overview copy the application (client) ID; under Endpoints copy the OpenID Connect metadata document.',
    okta: 'In the Okta admin console open Applications and create an app integration: OIDC, Web Application.\nAs sign-in redirect URI enter {redirectUri}\nAssign the people who may sign in.\nCopy client ID and client secret. The issuer is the address of your organization, such as https://example.okta.com.',
    google:
      'In the Google Cloud console open APIs & Services, Credentials, and create an OAuth client ID for a web application.\nAs authorized redirect URI enter {redirectUri}\nCopy client ID and client secret.',
    keycloak:
      'In the admin console of Keycloak create a client of the type OpenID Connect, with client authentication on.\nAs valid redirect URI enter {redirectUri}\nUnder Credentials copy the client secret. The issuer is https://your-keycloak/realms/your-realm.',
    jumpcloud:
      'In the JumpCloud admin portal open SSO Applications and add a custom application with OIDC.\nAs redirect URI enter {redirectUri}\nAs client authentication choose Client Secret Basic, and assign the groups that may sign in.\nCopy client ID and client secret.',
    other:
      'Register a web application with a client secret, for the authorization code flow.\nAs redirect URI enter {redirectUri}\nCopy client ID, client secret and the issuer, or the address of the discovery document.',
  } as Named,
  setupLinks: 'Set-up links',
  setupLink: 'Set-up link',
  revoke: 'Revoke',
  verify: 'Verify',
  test: 'Test',
  testAbout:
    'Asks the provider what it offers, and whether it takes the client secret. Nothing is changed.',
  runTest: 'Run the test',
  testing: 'Asking…',
  testNotSetUp:
    'The application has not set this up: its developers give the console the option testIdentityProvider.',
  verdicts: { ok: 'fine', warning: 'warning', failed: 'failed' } as Named,
  timeline: 'Timeline',
  matrix: 'Role matrix',
  review: 'Access review',
  plan: 'Plan',
  notFoundTitle: 'Page not found',
  notFoundPage:
    'The console has no page at this address. It may have been mistyped, or the page is switched off.',
  toOverview: 'Go to the overview',
  offline: 'No connection. The console tries again by itself.',
  unavailable: 'The service is out of order for now. The console tries again by itself.',
  retry: 'Try again',
  loading: 'Loading…',
  signedOut: 'You are not signed in. Sign in to your application, then load this page again.',
  denied:
    'You may not see or do this: it needs the permission {permission} in the organization {org}. Ask an administrator of your organization.',
  nothingToSee:
    'There is nothing here that you may see. Ask an administrator of your organization for permissions.',
  readOnly: 'You need the permission {permission} to change this.',
  addNeeds: 'You need the permission {permission} to add one.',
  missing: 'There is nothing here now. It may have been removed, or it was never there.',
  removed: 'This was removed. Its history is below.',
  neverThere: 'There was never anything with this id here. The link may be wrong.',
  missingThen: 'It was not there at this time.',
  failed: '{message} ({id})',
  empty: 'Nothing here yet.',
  emptyReceived: 'No organization has granted a project to yours.',
  emptyMatrix:
    'No user of your organization has a role of this project yet. Press “Give roles” to begin.',
  emptyRoles: 'This project has no roles yet. Add them on the page of the project.',
  emptyReview: 'Nobody had a role of this project at this time.',
  emptyFiltered: 'Nothing matches the filter.',
  clearFilter: 'Clear the filter',
  count: '{shown} of {total}',
  capped: 'more than 10,000',
  filter: 'Filter',
  anyState: 'Any state',
  more: 'Show more',
  moreUsers: 'Show more users',
  moreRoles: 'Show more roles',
  notAll: 'This is not all yet.',
  add: 'Add',
  addA: 'Add: {type}',
  edit: 'Edit',
  deactivate: 'Deactivate',
  reactivate: 'Reactivate',
  remove: 'Remove',
  preview: 'Preview',
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  back: 'Change something',
  copy: 'Copy',
  copied: 'Copied',
  required: 'required',
  /** Titles of dialogs that ask before something is done. */
  ask: {
    remove: 'Remove {name}?',
    deactivate: 'Deactivate {name}?',
    reactivate: 'Reactivate {name}?',
    verify: 'Verify {name}?',
    revoke: 'Revoke the link {name}?',
  } as Named,
  /** What happens, by the type of the object and what is done with it. */
  effects: {
    'project.remove':
      'The project goes with its roles, and everybody loses the roles they have in it. Its id is never given again.',
    'project.deactivate': 'No role of the project counts until it is reactivated.',
    'project.reactivate': 'The roles of the project count again.',
    'project_role.remove':
      'Everybody who has this role loses it. Adding a role with this key again gives it back to nobody.',
    'project_grant.remove':
      'The organization loses the project, and its users lose their roles in it.',
    'project_grant.deactivate':
      'The roles that the organization has given its users do not count until the grant is reactivated.',
    'project_grant.reactivate': 'The roles that the organization has given its users count again.',
    'user_grant.remove': 'The user loses all roles in this project.',
    'user_grant.deactivate':
      'The roles of the user in this project do not count until they are reactivated.',
    'user_grant.reactivate': 'The roles of the user in this project count again.',
    'identity_provider.remove':
      'Nobody can sign in with this provider any more. Its settings and its secret are not kept.',
    'identity_provider.deactivate':
      'Nobody can sign in with this provider until it is reactivated.',
    'identity_provider.reactivate': 'Users can sign in with this provider again.',
    'setup_link.revoke': 'The link does not open again, also where it is open now.',
    'domain.remove':
      'Addresses of this domain lead to no provider any more, and the domain has to be verified again.',
    'domain.verify':
      'Looks for the TXT record. Once it is found, addresses of this domain belong to your organization.',
  } as Named,
  bounds: '{least} to {most} characters',
  atMost: 'up to {most} characters',
  lines: 'one a line, up to {most}',
  secretHint: 'It is never shown. Leave it empty to keep the stored one.',
  willChange: 'This will change:',
  noChange: 'This changes nothing.',
  declaredBy: 'Declared by code ({by}). It changes only when that is applied.',
  loses: plural('One role of a user ends:', '{count} roles of users end:'),
  gains: plural('One role of a user begins to count:', '{count} roles of users begin to count:'),
  losesNone: 'Nobody loses a role.',
  andMore: 'and {count} more',
  reason: 'Reason',
  reasonHint: 'Shown in the history, to everybody who may read it. May stay empty.',
  secretChanges: 'a new one, which is not shown',
  secretSame: 'the stored one',
  yes: 'yes',
  no: 'no',
  conflict:
    'Somebody has changed this in the meantime. Compare, then save yours over it or cancel.',
  conflictSaw: 'You saw',
  conflictNow: 'Now',
  conflictYours: 'Yours',
  useYours: 'Keep mine, preview again',
  field: 'Field',
  none: '–',
  history: 'History',
  asOf: 'As it was',
  asOfNow: 'now',
  asOfEarlier: 'earlier than these changes',
  asOfAll: 'all {count} changes, since {time}',
  asOfLast: 'the last {count} changes, since {time}',
  backToNow: 'Back to now',
  asOfHint: 'Move the slider to any change of this object.',
  by: 'by {name}, {time}',
  who: 'By',
  person: 'Person concerned',
  live: 'Live',
  paused: 'Paused',
  type: 'Change',
  from: 'From',
  to: 'To',
  noHistory: 'Nothing is recorded that fits. What changes from now on is shown here.',
  anyType: 'Any change',
  anyProject: 'Any project',
  anybody: 'Anybody',
  choose: 'Project',
  chooseProject: 'Choose a project.',
  noProjects: 'There is no project yet.',
  until: 'until {time}',
  untilLabel: 'until',
  untilOf: '{role}: until',
  expiredAt: 'expired {time}',
  counts: 'counts',
  expired: 'expired',
  inactive: 'inactive',
  noRole: 'no role',
  why: 'Why',
  matrixHint: 'Press a cell to see why a role counts or does not, and to give or take it.',
  allowed: '{user} has the role {role}, and it counts.',
  refused: '{user} does not have the role {role}:',
  whyBecause: 'What this rests on',
  reasons: {
    ProjectNotFound: 'The project does not exist.',
    ProjectInactive: 'The project is inactive.',
    NoGrant: 'The user has no roles of this project.',
    GrantInactive: 'The roles of the user are inactive.',
    RoleNotGranted: 'The role was not given to the user.',
    RoleRemoved: 'The role was removed since it was given.',
    PermissionNotGranted: 'No role of the user has the permission.',
    Expired: 'The role has expired.',
    ProjectGrantMissing: 'The project is not granted to this organization.',
    ProjectGrantInactive: 'The grant of the project is inactive.',
  } as Named,
  giveRoles: 'Give roles',
  giveRole: 'Give this role',
  takeRole: 'Take this role',
  changeUntil: 'Change until when',
  givesRole: 'Give {role} to {user}',
  takesRole: 'Take {role} from {user}',
  takesRoleEffect: 'The user loses this role. Other roles stay.',
  saving: 'Saving…',
  given: 'Done: {count}',
  giveTo: 'To',
  pickUsers: 'Type a name, and pick a user.',
  typeIds: 'Type the id of a user, and press Enter.',
  noDirectory:
    'The application has not told the console the names of its users (option users), so it shows and takes their ids.',
  noAddress:
    'This looks like an e-mail address. Type the id that your application has for the user: what is recorded here stays (guide of the console, “Ids of users”).',
  unknownUser: 'No user was found. Pick one from the list.',
  noMatch: 'Nothing found.',
  findRoles: 'Find a role',
  chosen: plural('{count} chosen', '{count} chosen'),
  typeMore: 'Type to find more.',
  removeThis: 'Remove {name}',
  noRoleChosen: 'Choose a role.',
  noUserChosen: 'Choose a user.',
  noProjectChosen: 'Choose a project.',
  at: 'At',
  print: 'Print',
  csv: 'Export as CSV',
  userId: 'User id',
  organization: 'Organization',
  concerns: 'Concerns',
  comparedWith: 'Compare with',
  compares: 'What has changed in the roles of {project} from {from} to {to}',
  compareNone: 'Everybody has the roles that they had.',
  isNew: 'new',
  isGone: 'gone',
  whyInMatrix: 'Why, and what else there is in',
  reviewAbout: 'Who had which role of {project}, {time}',
  planAbout: 'Paste a desired state in JSON, or choose a file. The preview records nothing.',
  desired: 'Desired state',
  file: 'File',
  planPreview: 'Show the plan',
  apply: 'Apply',
  applied: 'Applied.',
  planNothing: 'Everything is as desired.',
  actionCount: '{action}: {count}',
  notJson: 'This is not JSON.',
  undeclared: 'Not declared, and left as it is: {count}',
  heldRoles: 'Roles that count',
  noHeldRoles: 'No role of this user counts now.',
  removeAll: 'Remove all roles',
  removeAllTitle: 'Remove all roles of {user}?',
  removeAllAbout:
    'The user loses every role in every project, at once. Nothing else of the user is changed.',
  recent: 'Latest changes',
  allChanges: 'All changes',
  fields: {
    protectedBy: 'Declared by',
    id: 'Id',
    idpId: 'Provider id',
    name: 'Name',
    state: 'State',
    issuer: 'Issuer',
    clientId: 'Client id',
    clientSecret: 'Client secret',
    scopes: 'Scopes',
    stylingType: 'Styling',
    autoRegister: 'Register users automatically',
    displayNameMapping: 'Display name from',
    usernameMapping: 'User name from',
    projectRoleAssertion: 'Roles in tokens',
    projectRoleCheck: 'Login needs a role',
    hasProjectCheck: 'Login needs a grant of the project',
    privateLabelingSetting: 'Branding',
    roleKey: 'Role key',
    displayName: 'Display name',
    group: 'Group',
    permissions: 'Permissions',
    permission: 'Permission',
    projectId: 'Project',
    projectOrgId: 'Owner',
    grantedOrgId: 'Organization',
    roleKeys: 'Roles',
    roles: 'Roles',
    userId: 'User',
    orgId: 'Organization',
    expiresAt: 'Expires',
    from: 'Since',
    domain: 'Domain',
    recordName: 'Publish in DNS at',
    challenge: 'As the TXT record',
    linkId: 'Link',
    intents: 'For',
    note: 'Note',
    changeDate: 'Changed',
    creationDate: 'Added',
    resourceOwner: 'Organization',
  } as Named,
  /** Names of values, by the field that has them. */
  values: {
    state: {
      STATE_ACTIVE: 'active',
      STATE_INACTIVE: 'inactive',
      DOMAIN_STATE_PENDING: 'pending',
      DOMAIN_STATE_VERIFIED: 'verified',
      SETUP_LINK_STATE_ISSUED: 'not opened yet',
      SETUP_LINK_STATE_USED: 'opened',
      SETUP_LINK_STATE_COMPLETED: 'completed',
      SETUP_LINK_STATE_REVOKED: 'revoked',
    },
    stylingType: { STYLING_TYPE_UNSPECIFIED: 'plain', STYLING_TYPE_GOOGLE: 'Google' },
    displayNameMapping: MAPPINGS,
    usernameMapping: MAPPINGS,
    privateLabelingSetting: {
      PRIVATE_LABELING_SETTING_UNSPECIFIED: 'default',
      PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY: 'of the owner of the project',
      PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY:
        'of the organization of the user',
    },
  } as Readonly<Record<string, Named>>,
  /** Names of what is recorded, by the type of its event. */
  types: {
    'identity_provider.oidc_added': 'Identity provider added',
    'identity_provider.updated': 'Identity provider changed',
    'identity_provider.oidc_config_updated': 'OpenID Connect settings changed',
    'identity_provider.secret_resealed': 'Client secret sealed with another key',
    'identity_provider.deactivated': 'Identity provider deactivated',
    'identity_provider.reactivated': 'Identity provider reactivated',
    'identity_provider.removed': 'Identity provider removed',
    'project.added': 'Project added',
    'project.updated': 'Project changed',
    'project.deactivated': 'Project deactivated',
    'project.reactivated': 'Project reactivated',
    'project.removed': 'Project removed',
    'project_role.added': 'Role added',
    'project_role.updated': 'Role changed',
    'project_role.removed': 'Role removed',
    'project_grant.added': 'Project granted',
    'project_grant.updated': 'Project grant changed',
    'project_grant.deactivated': 'Project grant deactivated',
    'project_grant.reactivated': 'Project grant reactivated',
    'project_grant.removed': 'Project grant removed',
    'user_grant.added': 'Roles of a user added',
    'user_grant.updated': 'Roles of a user changed',
    'user_grant.deactivated': 'Roles of a user deactivated',
    'user_grant.reactivated': 'Roles of a user reactivated',
    'user_grant.removed': 'Roles of a user removed',
    'domain.added': 'Domain added',
    'domain.verified': 'Domain verified',
    'domain.provider_set': 'Provider of the domain set',
    'domain.removed': 'Domain removed',
    'setup_link.issued': 'Set-up link issued',
    'setup_link.used': 'Set-up link opened',
    'setup_link.completed': 'Set-up link completed',
    'setup_link.revoked': 'Set-up link revoked',
  } as Named,
  /** Why a plan leaves an object as it is, by what it does with it. */
  obstacles: {
    blocked: 'An object with this id was removed, and no id is given twice.',
    superseded: 'A newer version of the desired state has changed it.',
  } as Named,
  /** Kinds of objects. */
  kinds: {
    identity_provider: 'Identity provider',
    project: 'Project',
    project_role: 'Role',
    project_grant: 'Project grant',
    user_grant: 'Roles of a user',
    domain: 'Domain',
    setup_link: 'Set-up link',
  } as Named,
  /** What a plan does with an object. */
  actions: {
    add: 'Add',
    update: 'Change',
    remove: 'Remove',
    unchanged: 'Unchanged',
    blocked: 'Blocked',
    superseded: 'Superseded',
  } as Named,
}

/** The texts of the console, by the names that `docs/guides/console.md` lists. */
export type Texts = typeof ENGLISH

/** Texts in another language, or other words; what is left out stays in English. */
export type Messages = {
  readonly [name in keyof Texts]?: Texts[name] extends string
    ? string
    : Texts[name] extends Plural
      ? Plural
      : Partial<Texts[name]>
}

const withMessages = (messages: Messages = {}): Texts => {
  const merged = Object.entries(ENGLISH).map(([name, text]) => {
    const given = Object.entries(messages).find(([each]) => each === name)?.[1]
    const isMap = typeof text === 'object' && typeof given === 'object'
    return [name, isMap ? { ...text, ...given } : (given ?? text)]
  })
  return Object.fromEntries(merged)
}

/** The texts in the language of the page. */
export const texts: Texts = withMessages(settings.messages)

/** A text with its values filled in. */
export const say = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))

/** A text in which elements stand for its values. */
export const Say = ({
  text,
  ...values
}: {
  readonly text: string
  readonly [name: string]: ComponentChildren
}) => text.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : values[part]))

const rules = new Intl.PluralRules(settings.language)

/** A text about a number of things. */
export const sayCount = (forms: Plural, count: number): string =>
  say(forms[rules.select(count)] ?? forms.other, { count: count.toLocaleString(settings.language) })

/** Name of a field for readers. */
export const fieldName = (field: string): string =>
  Object.hasOwn(texts.fields, field) ? (texts.fields[field] ?? field) : field
