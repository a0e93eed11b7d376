// Verifies a statement from its file alone: the chain, the sums of the records, and the signature.
import {
  StatementCheck,
  type ChainHash,
  type StatementVerdict,
} from '@tollgate/contract/statements/statement-format.ts'
import { isSignedBy } from '../platform/security/signing.ts'
import { HashChain } from './format.ts'

/** Reads the file line by line, so its size does not matter. Returns every fault that it can tell apart. */
export async function verifyFile(lines: AsyncIterable<string>): Promise<StatementVerdict> {
  const check = new StatementCheck(hexChain())
  for await (const line of lines) if (line !== '') check.take(line)
  return check.finish(isSignedBy)
}

function hexChain(): ChainHash {
  const chain = new HashChain()
  return {
    addText: (text) => chain.addText(text),
    resume: (hex) => chain.resume(Buffer.from(hex, 'hex')),
    get hex() {
      return chain.hash.toString('hex')
    },
  }
}
