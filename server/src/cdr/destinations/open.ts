// Opens a destination of any type.
import type { CdrDestination } from '@tollgate/contract/cdr/cdr.ts'
import type { Egress } from '../../platform/security/egress.ts'
import type { DestinationSession } from './destination.ts'
import { openFolder } from './folder.ts'
import { openS3 } from './s3.ts'
import { openSftp } from './sftp.ts'

export interface DestinationDeps {
  readonly egress: Pick<Egress, 'call' | 'resolve'>
  /** CDR_DIR. */
  readonly cdrDir: string | undefined
}

/** Throws DeliveryFault when it cannot be reached. `signal` breaks off whatever is under way. */
export async function openDestination(
  { egress, cdrDir }: DestinationDeps,
  to: CdrDestination,
  secret: string,
  signal: AbortSignal,
): Promise<DestinationSession> {
  switch (to.type) {
    case 'folder':
      return openFolder(cdrDir, to.path, signal)
    case 's3':
      return openS3(egress, to, secret, signal)
    case 'sftp':
      return openSftp(egress, to, secret, signal)
  }
}
