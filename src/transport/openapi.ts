import { base64Decode } from '@bufbuild/protobuf/wire'
import { type Handler, jsonResponse } from './http.js'
import type { ResolvedOptions } from './options.js'
import type { Entry } from './router.js'

/** The OpenAPI document, which is loaded and completed with the host's options at the first request. */
export const documentEntry = (options: ResolvedOptions): Entry<Handler> => {
  let text: Promise<string> | undefined
  const answer = async () => {
    text ??= documentOf(options)
    return jsonResponse(200, await text)
  }
  return ['GET', '/openapi.json', answer]
}

/** The document as it was made from the .proto files: without what only a host knows. */
interface Document {
  readonly openapi: string
  readonly info: object
  readonly tags: object
  readonly paths: object
  readonly components: { readonly parameters: Readonly<Record<string, object>> }
}

const documentOf = async ({ openApi, organizationHeader }: ResolvedOptions): Promise<string> => {
  const { compressed } = await import('./gen/openapi.js')
  const { openapi, info, tags, paths, components } = await inflated(compressed)
  const { securitySchemes, security, servers } = openApi || {}
  const { XServiceOrgid: organization, ...others } = components.parameters
  const parameters = { XServiceOrgid: { ...organization, name: organizationHeader }, ...others }
  return JSON.stringify({
    ...{ openapi, info, servers, security, tags, paths },
    components: { ...components, parameters, securitySchemes },
  })
}

const inflated = (compressed: string): Promise<Document> => {
  const bytes = new Uint8Array(base64Decode(compressed))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return new Response(stream).json()
}
