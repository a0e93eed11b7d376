// Serves the console: assets are cached for ever, the page is never cached, and every address of the console is that
// page.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '@tollgate/contract/errors.ts'
import { answerFailure } from './failures.ts'

/** The console's page, or empty where it is not built (tests of the API alone). */
export function readIndex(folder: string | undefined): string {
  if (folder === undefined) return ''
  try {
    return readFileSync(join(folder, 'index.html'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** Serves the files of `folder`, and answers every other unknown address. */
export async function addConsole(
  app: FastifyInstance,
  folder: string | undefined,
  index: string,
): Promise<void> {
  if (folder !== undefined && index !== '')
    await app.register(staticFiles, {
      root: folder,
      index: false,
      wildcard: true,
      // The build compresses them: better than could be done while somebody waits.
      preCompressed: true,
      // Built names carry a hash of their content, so an asset never changes; other files may.
      setHeaders: (response, path) => {
        const isHashed = path.includes('/assets/')
        response.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  const sendPage = (reply: FastifyReply) =>
    reply.code(200).header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(index)
  if (index !== '') {
    app.get('/', async (_, reply) => sendPage(reply))
    app.get('/index.html', async (_, reply) => sendPage(reply))
  }
  app.setNotFoundHandler((request, reply) => {
    if (index !== '' && asksForPage(request)) return sendPage(reply)
    return answerFailure(new Refusal('not_found', 'There is nothing at this address.'), request, reply)
  })
}

/** An address of the console, as a browser opens it: not the API, and not a missing file. */
function asksForPage(request: FastifyRequest): boolean {
  const path = request.url.split('?')[0] ?? ''
  if (!/^(GET|HEAD)$/.test(request.method) || /^\/api(\/|$)/.test(path)) return false
  return !/\.[a-z0-9]{2,5}$/i.test(path)
}
