import { identityProviderService } from '../../transport/wire.js'
import type { StoredObject } from './api.js'
import { providerNameOf } from './known.js'
import { Picker } from './picker.js'
import { listOf, namedLike } from './project-picker.js'

interface ProviderPickerProps {
  readonly label: string
  /** Id of the provider; empty for none. */
  readonly chosen: string
  readonly change: (idpId: string) => void
  readonly error?: string | undefined
  readonly picksOnly?: boolean
}

const optionOf = ({ idpId, name, issuer }: StoredObject) => ({
  ...{ id: String(idpId), name: String(name), detail: String(issuer ?? '') },
})

/** Picks an identity provider of the organization by its name. */
export const ProviderPicker = ({ chosen, change, ...field }: ProviderPickerProps) => (
  <Picker
    {...field}
    chosen={chosen ? [{ id: chosen, name: providerNameOf(chosen) }] : []}
    change={([option]) => change(option?.id ?? '')}
    find={async (text) =>
      (await listOf(identityProviderService.listIdentityProviders, namedLike(text))).map(optionOf)
    }
  />
)
