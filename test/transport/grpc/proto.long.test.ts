import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { IdentityProviderService, ProjectRoleService, ProjectService } from 'claviger/client'
import { fetchHandler } from 'claviger/transport'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { openIam, transportOptions } from '../host.js'
import { services } from '../services.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const protoFolder = join(root, 'src/transport/proto')

/** Published for ever: see the page on it in docs/decisions. */
const published = join(root, 'test/golden/claviger-v1.binpb')

const buf = (...args: string[]) =>
  execFileSync(join(root, 'node_modules/.bin/buf'), args, { cwd: root, encoding: 'utf8' })

/** A copy of the .proto files, with one of them changed. */
const inChangedCopy = (change: (project: string) => string, use: (folder: string) => void) => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-proto-'))
  try {
    cpSync(protoFolder, folder, { recursive: true })
    const file = join(folder, 'claviger/v1/project_service.proto')
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What each field of a message, and of those within, has one or several of. */
const kindsIn = ({ fields }: DescMessage): readonly string[] =>
  fields.flatMap((field) => {
    if (field.message?.typeName === 'google.protobuf.Timestamp') return 'time'
    return field.message && field.fieldKind !== 'map'
      ? kindsIn(field.message)
      : [field.enum ? 'enum' : `${field.fieldKind === 'map' ? 'map ' : ''}${field.scalar}`]
  })

const numbersOf = ({ fields }: DescMessage) =>
  Object.fromEntries(fields.map(({ name, number }) => [name, number]))

describe('The .proto files', () => {
  it('pass the linter of buf', () => {
    expect(buf('lint', 'src/transport/proto')).toBe('')
    expect(buf('format', '--diff', 'src/transport/proto')).toBe('')
  })

  it('break no client of what was published', () => {
    expect(buf('breaking', 'src/transport/proto', '--against', published)).toBe('')
  })

  it('are published in full: the other way round nothing is missing either', () => {
    expect(buf('breaking', published, '--against', 'src/transport/proto')).toBe('')
  })

  it('are guarded by a gate that notices a changed number', () => {
    const change = (text: string) => text.replace('string name = 2', 'string name = 9')
    inChangedCopy(change, (folder) => {
      expect(() => buf('breaking', folder, '--against', published)).toThrow()
    })
  })

  it('are what the table was generated from', () => {
    const folder = mkdtempSync(join(tmpdir(), 'claviger-gen-'))
    try {
      const template = readFileSync(join(protoFolder, 'buf.gen.yaml'), 'utf8')
      const elsewhere = template.replaceAll('out: src/transport', `out: ${folder}`)
      buf('generate', 'src/transport/proto', '--template', elsewhere)
      const made = readFileSync(join(folder, 'wire.ts'), 'utf8')
      expect(made).toBe(readFileSync(join(root, 'src/transport/wire.ts'), 'utf8'))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it.each([
    ['a packed list', 'repeated uint64 odd = 90;'],
    ['a packed list', 'repeated PrivateLabelingSetting odd = 90;'],
    ['a part of a oneof', 'oneof one { string odd = 90; }'],
    ['a map', 'map<string, string> odd = 90;'],
    ['of the type INT64', 'int64 odd = 90;'],
    ['of the type SINT32', 'sint32 odd = 90;'],
    ['of the type BYTES', 'bytes odd = 90;'],
    ['of the type DOUBLE', 'double odd = 90;'],
    ['not for a request', 'google.protobuf.Value odd = 90;'],
  ])('have nothing that the table has no word for, such as %s: %s', (objection, field) => {
    const change = (text: string) =>
      text
        .replace(
          'message GetProjectRequest {',
          `message GetProjectRequest {\n  // Odd.\n  ${field}`,
        )
        .replace('import ', 'import "google/protobuf/struct.proto";\nimport ')
    inChangedCopy(change, (folder) => {
      const template = readFileSync(join(protoFolder, 'buf.gen.yaml'), 'utf8')
      const elsewhere = template.replaceAll('out: src/transport', `out: ${join(folder, 'out')}`)
      expect(() => buf('generate', folder, '--template', elsewhere)).toThrow(objection)
    })
  })

  it('number fields in the order of the tables of the specification', () => {
    const { addOidcIdentityProvider, updateOidcConfig } = IdentityProviderService.method
    expect(numbersOf(addOidcIdentityProvider.input)).toEqual({
      name: 1,
      styling_type: 2,
      client_id: 3,
      client_secret: 4,
      issuer: 5,
      scopes: 6,
      display_name_mapping: 7,
      username_mapping: 8,
      auto_register: 9,
      validate_only: 10,
      reason: 15,
      idp_id: 25,
    })
    expect(numbersOf(addOidcIdentityProvider.output)).toEqual({
      details: 1,
      idp_id: 2,
      planned: 3,
      warnings: 4,
    })
    expect(numbersOf(updateOidcConfig.input)).toEqual({
      idp_id: 1,
      issuer: 2,
      client_id: 3,
      client_secret: 4,
      scopes: 5,
      display_name_mapping: 6,
      username_mapping: 7,
      validate_only: 8,
      reason: 15,
    })
    expect(numbersOf(ProjectService.method.updateProject.input)).toEqual({
      id: 1,
      name: 2,
      project_role_assertion: 3,
      project_role_check: 4,
      has_project_check: 5,
      private_labeling_setting: 6,
      validate_only: 7,
      reason: 15,
    })
    expect(numbersOf(ProjectRoleService.method.addProjectRole.input)).toEqual({
      project_id: 1,
      role_key: 2,
      display_name: 3,
      group: 4,
      validate_only: 5,
      permissions: 6,
      reason: 15,
    })
    const details = addOidcIdentityProvider.output.fields[0]?.message
    expect(details && numbersOf(details)).toEqual({
      sequence: 1,
      creation_date: 2,
      change_date: 3,
      resource_owner: 4,
    })
  })

  it('have in requests only what the transport checks the JSON of', () => {
    const kinds = services.flatMap(({ methods }) => methods.flatMap(({ input }) => kindsIn(input)))
    const { BOOL, INT32, STRING, UINT64 } = ScalarType
    expect(new Set(kinds)).toEqual(
      new Set(['enum', 'time', `${BOOL}`, `${INT32}`, `${STRING}`, `${UINT64}`]),
    )
  })

  it('mark as deprecated what the specification does', () => {
    const deprecated = services.flatMap(({ methods }) =>
      methods.filter(({ proto }) => proto.options?.deprecated).map(({ name }) => name),
    )
    expect(deprecated).toEqual(['AddOidcIdentityProvider', 'UpdateOidcConfig'])
  })

  it('show no events, and offer nothing that is for the host alone', () => {
    const names = services.flatMap(({ methods }) => methods.map(({ name }) => name))
    expect(names.filter((name) => /secret|reseal|reveal|subscribe|catch|run/i.test(name))).toEqual(
      [],
    )
    const shown = services.flatMap(({ methods }) => methods.flatMap(({ output }) => output.fields))
    expect(shown.filter(({ name }) => /event|secret/i.test(name))).toEqual([])
  })
})

it('Every rpc has a route of its own', async () => {
  const handler = fetchHandler(await openIam(), transportOptions().options)
  const statusOf = async (path: string) => {
    const headers = { 'content-type': 'application/grpc-web+proto' }
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers })
    return (await handler(request)).status
  }
  for (const { typeName, methods } of services)
    for (const { name } of methods) expect(await statusOf(`/${typeName}/${name}`)).toBe(200)
  expect(await statusOf('/claviger.v1.ProjectService/Other')).toBe(404)
})

it('The transport imports nothing of Node.js', async () => {
  const { metafile } = await build({
    entryPoints: [join(root, 'src/transport/index.ts')],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'neutral',
    mainFields: ['module'],
  })
  const outside = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  )
  expect(outside).toEqual([])
})
