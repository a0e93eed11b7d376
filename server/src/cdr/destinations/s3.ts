// Delivers to S3 and what speaks its protocol. A PUT of known length and hash, or an upload in parts that is put together at
// the end, shows the whole object or nothing.
import type { Egress } from '../../platform/security/egress.ts'
import { hashOfParts, type DestinationSession } from './destination.ts'
import { readParts, requireDone, s3CallsTo, type S3Target } from './s3-calls.ts'
import { partBytesMin, putInParts } from './s3-parts.ts'

export function openS3(
  egress: Pick<Egress, 'call'>,
  to: S3Target,
  secretAccessKey: string,
  signal: AbortSignal,
): DestinationSession {
  const call = s3CallsTo(egress, to, secretAccessKey, signal)
  const keyOf = (name: string) => [...to.path.split('/').filter(Boolean), name].join('/')
  return {
    async put(file) {
      const key = keyOf(file.name)
      if (file.sizeBytes > partBytesMin) return putInParts(call, to, key, file)
      requireDone(await call({ method: 'PUT', key, content: { ...file, start: 0 } }), to)
    },
    hashOf: (name, sizeBytes) => hashOfParts(readParts(call, to, keyOf(name), sizeBytes)),
    async remove(name) {
      await call({ method: 'DELETE', key: keyOf(name) })
    },
    close: async () => undefined,
  }
}
