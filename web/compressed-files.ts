// Writes a compressed copy beside each built file. This compresses better than compression on each request could.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

// Pictures and fonts are already compressed.
const compressible = /\.(?:js|css|svg|wasm)$/
// Smaller files gain less than the header costs that names the encoding.
const bytesMin = 200

// Brotli for browsers over TLS, gzip for the others.
const formats = [
  {
    ending: '.br',
    compress: (data: Buffer) =>
      promisify(brotliCompress)(data, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
        },
      }),
  },
  {
    ending: '.gz',
    compress: (data: Buffer) => promisify(gzip)(data, { level: constants.Z_BEST_COMPRESSION }),
  },
] as const

/** The Vite plugin. */
export function compressedFiles(): Plugin {
  return {
    name: 'compressed-files',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir = '' }, bundle) {
        const names = Object.keys(bundle).filter((name) => compressible.test(name))
        await Promise.all(
          names.map(async (name) => {
            const path = join(dir, name)
            const data = await readFile(path)
            if (data.length < bytesMin) return
            for (const { ending, compress } of formats) await writeFile(path + ending, await compress(data))
          }),
        )
      },
    },
  }
}
