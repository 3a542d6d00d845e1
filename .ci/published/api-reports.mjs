// Compares the types of the built package with the reports in test/api, so that a change of the public
// surface shows in the diff of a review. `npm run api` writes the reports anew.
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { withoutOrder } from '../without-order.mjs'

const root = resolve(import.meta.dirname, '../..')
const reportFolder = join(root, 'test/api')
const mayUpdate = process.argv.includes('--update')
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
mkdirSync(reportFolder, { recursive: true })

/** Once each: an alias has the declarations of another. The golden descriptor shows what clients are made of. */
const declarations = [
  ...new Set(Object.values(packageJson.exports).map((conditions) => conditions.types)),
].filter((file) => file !== undefined && file !== './dist/client.d.ts')

const inReport = { logLevel: 'none', addToApiReportFile: false }

const configOf = (file) =>
  ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, file),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2024',
            lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable', 'ESNext.Disposable'],
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            strict: true,
            skipLibCheck: true,
            types: ['node'],
          },
        },
      },
      apiReport: {
        enabled: true,
        reportFolder,
        reportTempFolder: join(root, 'reports/api'),
        reportFileName: `${basename(file, '.d.ts')}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        extractorMessageReporting: { default: inReport },
        tsdocMessageReporting: { default: inReport },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  })

/** All declarations are one program. */
const compilerState = CompilerState.create(configOf(declarations[0]), {
  additionalEntryPoints: declarations.map((file) => join(root, file)),
})

const isCurrent = (file) => {
  const name = basename(file, '.d.ts')
  const { apiReportChanged, errorCount } = Extractor.invoke(configOf(file), {
    localBuild: mayUpdate,
    compilerState,
    messageCallback: (message) => {
      if (message.logLevel === 'error') console.error(message.text)
      message.handled = true
    },
  })
  const hasChanged = apiReportChanged && (mayUpdate || !saysTheSame(`${name}.api.md`))
  if (hasChanged)
    console.error(
      mayUpdate
        ? `${name}: written anew`
        : `${name}: the public surface changed; look at it with \`npm run api\` and commit the report`,
    )
  return errorCount === 0 && (mayUpdate || !hasChanged)
}

/** The declarations in a report, which is a document around them. */
const textOf = (report) =>
  withoutOrder(readFileSync(report, 'utf8').split('```')[1].slice('ts'.length))

const saysTheSame = (report) =>
  textOf(join(reportFolder, report)) === textOf(join(root, 'reports/api', report))

const verdicts = declarations.map(isCurrent)
console.log(`API reports: ${verdicts.filter(Boolean).length} of ${verdicts.length} are current`)
process.exitCode = verdicts.every(Boolean) ? 0 : 1
