import { identityProviderService } from '../../transport/wire.js'
import type { Json, StoredObject } from './api.js'
import { WriteButton } from './form.js'
import { say, texts } from './texts.js'
import { type FormField, fieldsOf } from './write.js'

const field = (name: string, as: FormField['as'], most: number): FormField => ({
  ...{ name, as, most, least: 0, isRequired: false, isSentEmpty: true },
})

const FIELDS: readonly FormField[] = [
  field('secretExpiresAt', 'date', 30),
  field('groupsClaim', 'text', 200),
  field('groupsItem', 'text', 200),
  field('groupsSeparator', 'text', 200),
  field('admit', 'lines', 20),
  field(
    'clientAuthentication',
    ['', 'client_secret_basic', 'client_secret_post', 'raw_basic'],
    200,
  ),
  field('addresses', ['', 'domain', 'verified'], 200),
  field('subjectClaim', 'text', 200),
]

/** The settings of sign-in, as a provider has them. */
interface SignIn {
  readonly groups?: {
    readonly claim: string
    readonly path?: readonly string[]
    readonly item?: string
    readonly separator?: string
  }
  readonly admit?: readonly Rule[]
  readonly clientAuthentication?: string
  readonly addresses?: string
  readonly subjectClaim?: string
}
interface Rule {
  readonly claim: string
  readonly path?: readonly string[]
  readonly values: readonly string[]
}

const signInOf = (provider: StoredObject): SignIn => Object(provider['signIn'])

/** A rule as a line, such as `hd = example.com | example.org`. */
const lineOf = ({ claim, values }: Rule): string => `${claim} = ${values.join(' | ')}`

const ruleOf = (line: string): Rule => {
  const [claim = '', ...values] = line.split('=')
  return {
    claim: claim.trim(),
    values: values
      .join('=')
      .split('|')
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  }
}

/** The settings as the fields of the form. */
const read = (provider: StoredObject): StoredObject => {
  const { groups, admit = [], ...others } = signInOf(provider)
  return {
    details: provider.details,
    groupsClaim: groups?.claim ?? '',
    groupsItem: groups?.item ?? '',
    groupsSeparator: groups?.separator ?? '',
    admit: admit.map(lineOf),
    ...others,
  }
}

/** The fields of the form as a request has them. */
const write = (values: Json): Json => {
  const { groupsClaim, groupsItem, groupsSeparator, admit, ...others } = values
  const chosen = Object.entries(others).filter(([, value]) => value)
  return {
    ...Object.fromEntries(chosen),
    ...(groupsClaim && {
      groups: {
        claim: groupsClaim,
        ...(groupsItem && { item: groupsItem }),
        ...(groupsSeparator && { separator: groupsSeparator }),
      },
    }),
    admit: (Array.isArray(admit) ? admit : []).map((line) => ({ ...ruleOf(String(line)) })),
  }
}

/** Whether the form can say all of the settings: paths within claims, and signs of its own in a text, it cannot. */
const isSaid = (provider: StoredObject): boolean => {
  const { groups, admit = [] } = signInOf(provider)
  return (
    [...(groups ? [groups] : []), ...admit].every(({ path = [] }) => path.length === 0) &&
    admit.every((rule) => {
      const { claim, values } = ruleOf(lineOf(rule))
      return claim === rule.claim && JSON.stringify(values) === JSON.stringify(rule.values)
    })
  )
}

interface ProviderButtonProps {
  readonly ids: Json
  readonly provider: StoredObject
}

const {
  configureSignIn,
  patchIdentityProvider,
  getIdentityProvider: get,
  listIdentityProviderHistory: history,
} = identityProviderService

/** How users sign in with a provider: a button that opens a form, with a preview and its warnings. */
export const SignInButton = ({ ids, provider }: ProviderButtonProps) => {
  if (!isSaid(provider)) return <p class="none">{texts.signInByCode}</p>
  const title = say(texts.signInOf, { name: String(provider['name']) })
  const seen = { object: read(provider), get, history }
  const shape = { read, write }
  const form = { title, operation: configureSignIn, ids, fields: FIELDS, seen, shape }
  return <WriteButton text={texts.configureSignIn} write={form} />
}

/** Another secret, and nothing else: a button that opens a form. */
export const SecretButton = ({ ids, provider }: ProviderButtonProps) => {
  const fields = fieldsOf(patchIdentityProvider, ['clientSecret'])
  const seen = { object: provider, get, history }
  const title = `${texts.changeSecret}: ${String(provider['name'])}`
  const form = { title, operation: patchIdentityProvider, ids, fields, seen }
  return <WriteButton text={texts.changeSecret} write={form} />
}
