// Plain JavaScript of 2020: it must run on whatever Node there is, to say that it is too old.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `claviger needs Node.js 22.13 or later; this is ${process.versions.node} (${process.execPath}).\n` +
      'The development dependency "node" brings Node.js 24, but only when its install script ran.\n' +
      'Run `npm ci` again without --ignore-scripts, or use a newer Node.js.',
  )
  process.exit(1)
}
