import type { Person } from './known.js'
import { describe, findPeople } from './people.js'
import { type Option, Picker } from './picker.js'
import { settings } from './settings.js'
import { texts } from './texts.js'

interface UserPickerProps {
  readonly label: string
  readonly chosen: readonly Option[]
  readonly change: (chosen: readonly Option[]) => void
  readonly isMultiple?: boolean
  readonly error?: string | undefined
}

const optionOf = ({ id, name, email }: Person): Option => ({ id, name, detail: email })

/** Picks users of the host; where the host does not say who there is, takes ids. */
export const UserPicker = (props: UserPickerProps) => {
  const { hasUsers, userIdsAreAddresses } = settings
  const find = async (text: string) =>
    hasUsers && text ? (await findPeople(text)).map(optionOf) : []
  const take = async (text: string) => {
    if (!hasUsers)
      return text.includes('@') && !userIdsAreAddresses ? texts.noAddress : { id: text, name: text }
    // Somebody may paste an id.
    const person = await describe(text)
    return person ? optionOf(person) : texts.unknownUser
  }
  return (
    <>
      <Picker
        {...props}
        find={find}
        take={take}
        hint={hasUsers ? texts.pickUsers : texts.typeIds}
      />
      {!hasUsers && <p class="none">{texts.noDirectory}</p>}
    </>
  )
}
