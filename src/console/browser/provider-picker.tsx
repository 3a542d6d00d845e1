import { identityProviderService } from '../../transport/wire.js'
import { pathOf, type StoredObject } from './api.js'
import { Picker } from './picker.js'
import { listOf, namedLike } from './project-picker.js'
import { useQuery } from './query.js'

interface ProviderPickerProps {
  readonly label: string
  /** Id of the provider; empty for none. */
  readonly chosen: string
  readonly change: (idpId: string) => void
  readonly error?: string | undefined
}

const optionOf = ({ idpId, name }: StoredObject) => ({
  id: String(idpId),
  name: String(name),
  detail: String(idpId),
})

/** Picks an identity provider of the organization by its name. */
export const ProviderPicker = ({ chosen, change, ...field }: ProviderPickerProps) => {
  const { listIdentityProviders, getIdentityProvider } = identityProviderService
  const known = useQuery(chosen ? pathOf(getIdentityProvider, { idpId: chosen }) : undefined)
  const provider = known.body?.['identityProvider'] as StoredObject | undefined
  const find = async (text: string) =>
    (await listOf(listIdentityProviders, namedLike(text))).map(optionOf)
  return (
    <Picker
      {...field}
      chosen={chosen ? [provider ? optionOf(provider) : { id: chosen, name: chosen }] : []}
      change={([option]) => change(option?.id ?? '')}
      find={find}
    />
  )
}
