import { OidcMappingField, PrivateLabelingSetting, StylingType } from '../../index.js'
import { malformed } from '../errors/status-error.js'
import {
  OidcMappingField as OidcMappingFieldNumber,
  StylingType as StylingTypeNumber,
} from '../gen/claviger/v1/identity_provider_service_pb.js'
import { State } from '../gen/claviger/v1/object_details_pb.js'
import { PrivateLabelingSetting as PrivateLabelingSettingNumber } from '../gen/claviger/v1/project_service_pb.js'

const STYLING_TYPES = {
  STYLING_TYPE_UNSPECIFIED: StylingTypeNumber.UNSPECIFIED,
  STYLING_TYPE_GOOGLE: StylingTypeNumber.GOOGLE,
} as const satisfies Record<StylingType, StylingTypeNumber>

const MAPPING_FIELDS = {
  OIDC_MAPPING_FIELD_UNSPECIFIED: OidcMappingFieldNumber.UNSPECIFIED,
  OIDC_MAPPING_FIELD_PREFERRED_USERNAME: OidcMappingFieldNumber.PREFERRED_USERNAME,
  OIDC_MAPPING_FIELD_EMAIL: OidcMappingFieldNumber.EMAIL,
} as const satisfies Record<OidcMappingField, OidcMappingFieldNumber>

const LABELING_SETTINGS = {
  PRIVATE_LABELING_SETTING_UNSPECIFIED: PrivateLabelingSettingNumber.UNSPECIFIED,
  PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY:
    PrivateLabelingSettingNumber.ENFORCE_PROJECT_RESOURCE_OWNER_POLICY,
  PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY:
    PrivateLabelingSettingNumber.ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY,
} as const satisfies Record<PrivateLabelingSetting, PrivateLabelingSettingNumber>

const STATES = {
  STATE_UNSPECIFIED: State.UNSPECIFIED,
  STATE_ACTIVE: State.ACTIVE,
  STATE_INACTIVE: State.INACTIVE,
} as const

/** Number of a value on the wire. */
export const stylingTypeNumber = (name: StylingType) => STYLING_TYPES[name]
/** Number of a value on the wire. */
export const mappingFieldNumber = (name: OidcMappingField) => MAPPING_FIELDS[name]
/** Number of a value on the wire. */
export const labelingSettingNumber = (name: PrivateLabelingSetting) => LABELING_SETTINGS[name]
/** Number of a value on the wire. */
export const stateNumber = (name: 'active' | 'inactive') =>
  name === 'active' ? State.ACTIVE : State.INACTIVE

/**
 * Name of the value with this number. Enums of protobuf are open: any number can come in, and none
 * may pass for the default. @throws ConnectError naming `field`
 */
const nameOf = <Name extends string>(
  names: readonly Name[],
  numbers: Readonly<Record<Name, number>>,
  { field, number }: { readonly field: string; readonly number: number },
): Name => {
  const found = names.find((name) => numbers[name] === number)
  if (found !== undefined) return found
  throw malformed({ field, description: `must be one of ${names.join(', ')}` })
}

/** Name of the styling. @throws ConnectError */
export const stylingTypeOf = (message: { readonly stylingType: number }): StylingType =>
  nameOf(StylingType.options, STYLING_TYPES, {
    field: 'stylingType',
    number: message.stylingType,
  })

/** Names of what the fields of the user are taken from. @throws ConnectError */
export const mappingsOf = ({
  displayNameMapping,
  usernameMapping,
}: {
  readonly displayNameMapping: number
  readonly usernameMapping: number
}) => ({
  displayNameMapping: mappingFieldOf('displayNameMapping', displayNameMapping),
  usernameMapping: mappingFieldOf('usernameMapping', usernameMapping),
})

const mappingFieldOf = (field: string, number: number): OidcMappingField =>
  nameOf(OidcMappingField.options, MAPPING_FIELDS, { field, number })

/** Name of the labeling setting. @throws ConnectError */
export const labelingSettingOf = (message: {
  readonly privateLabelingSetting: number
}): PrivateLabelingSetting =>
  nameOf(PrivateLabelingSetting.options, LABELING_SETTINGS, {
    field: 'privateLabelingSetting',
    number: message.privateLabelingSetting,
  })

/** Name of the state to filter by; undefined for any. @throws ConnectError */
export const stateOf = ({
  state,
}: {
  readonly state: number
}): 'active' | 'inactive' | undefined => {
  const names = ['STATE_UNSPECIFIED', 'STATE_ACTIVE', 'STATE_INACTIVE'] as const
  const name = nameOf(names, STATES, { field: 'filter.state', number: state })
  if (name === 'STATE_UNSPECIFIED') return undefined
  return name === 'STATE_ACTIVE' ? 'active' : 'inactive'
}
