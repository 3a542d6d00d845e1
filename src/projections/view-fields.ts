import type {
  IdentityProvider,
  Project,
  ProjectRole,
  SortValue,
  Views,
  ViewType,
} from '../ports/read-model.js'

/** A field that rows are ordered by: what `typeof` says of it, and how it is read. Dates count in milliseconds. */
export type ViewField<Row> =
  | { readonly holds: 'string'; readonly filterable: boolean; readonly of: (row: Row) => string }
  | { readonly holds: 'boolean'; readonly filterable: false; readonly of: (row: Row) => boolean }
  | { readonly holds: 'bigint'; readonly filterable: false; readonly of: (row: Row) => bigint }

/** The fields of one type of object by their names; every one can be ordered by. */
export type ViewFields<Row> = Readonly<Record<string, ViewField<Row>>>

const filterable = <Row>(of: (row: Row) => string): ViewField<Row> => ({
  holds: 'string',
  filterable: true,
  of,
})

const text = <Row>(of: (row: Row) => string): ViewField<Row> => ({
  holds: 'string',
  filterable: false,
  of,
})

const flag = <Row>(of: (row: Row) => boolean): ViewField<Row> => ({
  holds: 'boolean',
  filterable: false,
  of,
})

const position = (of: (row: Views[ViewType]) => bigint): ViewField<Views[ViewType]> => ({
  holds: 'bigint',
  filterable: false,
  of,
})

const ofAll: ViewFields<Views[ViewType]> = {
  state: filterable((row) => row.state),
  sequence: position(({ details }) => details.sequence),
  creationDate: position(({ details }) => BigInt(details.creationDate.getTime())),
  changeDate: position(({ details }) => BigInt(details.changeDate.getTime())),
}

const ofIdentityProviders: ViewFields<IdentityProvider> = {
  idpId: filterable((row) => row.idpId),
  name: filterable((row) => row.name),
  stylingType: text((row) => row.stylingType),
  clientId: filterable((row) => row.clientId),
  issuer: filterable((row) => row.issuer),
  displayNameMapping: text((row) => row.displayNameMapping),
  usernameMapping: text((row) => row.usernameMapping),
  autoRegister: flag((row) => row.autoRegister),
  ...ofAll,
}

const ofProjects: ViewFields<Project> = {
  id: filterable((row) => row.id),
  name: filterable((row) => row.name),
  projectRoleAssertion: flag((row) => row.projectRoleAssertion),
  projectRoleCheck: flag((row) => row.projectRoleCheck),
  hasProjectCheck: flag((row) => row.hasProjectCheck),
  privateLabelingSetting: text((row) => row.privateLabelingSetting),
  ...ofAll,
}

const ofProjectRoles: ViewFields<ProjectRole> = {
  projectId: text((row) => row.projectId),
  roleKey: filterable((row) => row.roleKey),
  displayName: filterable((row) => row.displayName),
  group: filterable((row) => row.group),
  ...ofAll,
}

/** What lists can be filtered and ordered by. */
export const viewFields: { readonly [Type in ViewType]: ViewFields<Views[Type]> } = {
  identity_provider: ofIdentityProviders,
  project: ofProjects,
  project_role: ofProjectRoles,
}

/** The field that tells the objects of one list apart, and so ends every order. */
export const identityField = {
  identity_provider: 'idpId',
  project: 'id',
  project_role: 'roleKey',
} as const satisfies { readonly [Type in ViewType]: keyof Views[Type] }

/** The field of that name; throws when there is none, for what users say is checked before. */
export const fieldNamed = <Row>(fields: ViewFields<Row>, name: string): ViewField<Row> => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field === undefined) throw new RangeError(`There is no field ${name} to go by`)
  return field
}

/** Whether `value` can be one of `field`. */
export const canHold = (
  { holds }: { readonly holds: ViewField<never>['holds'] },
  value: SortValue,
): boolean => typeof value === holds
