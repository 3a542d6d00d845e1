import type { SortValue, Views, ViewType } from '../../../ports/read-model.js'

type Readers<Row> = Readonly<Record<string, (row: Row) => SortValue>>

const OF_ALL: Readers<Views[ViewType]> = {
  state: (row) => row.state,
  sequence: ({ details }) => details.sequence,
  creationDate: ({ details }) => BigInt(details.creationDate.getTime()),
  changeDate: ({ details }) => BigInt(details.changeDate.getTime()),
}

/**
 * The fields that lists are sorted by, and how each is read. They are written out, so that a read model
 * that lacks one of them breaks a law.
 */
export const SORT_FIELDS: { readonly [Type in ViewType]: Readers<Views[Type]> } = {
  identity_provider: {
    idpId: (row) => row.idpId,
    name: (row) => row.name,
    stylingType: (row) => row.stylingType,
    clientId: (row) => row.clientId,
    issuer: (row) => row.issuer,
    displayNameMapping: (row) => row.displayNameMapping,
    usernameMapping: (row) => row.usernameMapping,
    autoRegister: (row) => row.autoRegister,
    ...OF_ALL,
  },
  project: {
    id: (row) => row.id,
    name: (row) => row.name,
    projectRoleAssertion: (row) => row.projectRoleAssertion,
    projectRoleCheck: (row) => row.projectRoleCheck,
    hasProjectCheck: (row) => row.hasProjectCheck,
    privateLabelingSetting: (row) => row.privateLabelingSetting,
    ...OF_ALL,
  },
  project_role: {
    projectId: (row) => row.projectId,
    roleKey: (row) => row.roleKey,
    displayName: (row) => row.displayName,
    group: (row) => row.group,
    ...OF_ALL,
  },
}

/** The fields that lists are filtered by. */
export const FILTER_FIELDS = {
  identity_provider: ['idpId', 'name', 'clientId', 'issuer', 'state'],
  project: ['id', 'name', 'state'],
  project_role: ['roleKey', 'displayName', 'group', 'state'],
} as const satisfies { readonly [Type in ViewType]: readonly (keyof Views[Type])[] }

/** The id or key, which is unique in a list. */
export const IDENTITY = {
  identity_provider: 'idpId',
  project: 'id',
  project_role: 'roleKey',
} as const satisfies { readonly [Type in ViewType]: keyof Views[Type] }

/** What lists sort `row` by under `field`. @throws RangeError when lists are not sorted by it */
export const sortValue = <Type extends ViewType>(
  type: Type,
  field: string,
  row: Views[Type],
): SortValue => {
  const read = SORT_FIELDS[type][field]
  if (read === undefined) throw new RangeError(`Lists of ${type} are not sorted by ${field}`)
  return read(row)
}
