import type { ListedSender } from '@tollgate/contract/integrity/listed-senders.ts'
import { formatPhone } from '../format/phone.ts'

/** A sender as people read it; a block with a star for the digits that it leaves open. */
export function listedName({ sender, isBlock }: Pick<ListedSender, 'sender' | 'isBlock'>): string {
  return isBlock ? `${formatPhone(sender)} *` : formatPhone(sender)
}
