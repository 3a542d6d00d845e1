import { lookup } from 'node:dns'
import { isPrivateAddress } from 'claviger/oidc'
import { Agent } from 'undici'

const dispatcher = new Agent({
  connect: {
    lookup: (name, options, done) =>
      lookup(name, { ...options, all: true }, (error, found) => {
        const isPrivate = found?.some(({ address }) => isPrivateAddress(address))
        done(isPrivate ? new Error(`${name} has a private address`) : error, found)
      }),
  },
})

export const checkedFetch = (url: string, init: RequestInit): Promise<Response> => {
  const checked = { ...init, dispatcher }
  return fetch(url, checked)
}
