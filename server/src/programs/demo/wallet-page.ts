// The demo wallet's page: takes lines of address and amount, shows transaction hashes.

export interface WalletLine {
  /** As it was typed. */
  readonly text: string
  /** The payment's reference, if the line has one. */
  readonly reference: string
  /** Undefined when nothing was sent. */
  readonly hash?: string
  readonly problem?: string
}

/** `sent`: the results of the submitted lines. */
export function walletPage(sent: readonly WalletLine[], irreversibleAfterMs: number): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Demo wallet</title>
<style>
  :root { color-scheme: light dark }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
  textarea { width: 100%; font: 13px/1.5 ui-monospace, monospace; padding: .5rem; box-sizing: border-box }
  button { font: inherit; padding: .35rem 1rem; margin-top: .5rem }
  li { overflow-wrap: anywhere } code { font: 13px ui-monospace, monospace }
</style>
<h1>Demo wallet</h1>
<p>Sends USDT that does not exist, on a chain that ends with the demo. One transfer a line: <code>address,amount</code>,
as copied from Mark as Paid, or the lines of the file that a payment run gives.</p>
<form method="post">
<label for="lines">Transfers</label>
<textarea id="lines" name="lines" rows="6" required></textarea>
<button>Send</button>
</form>
${sent.length === 0 ? '' : results(sent, irreversibleAfterMs)}
</html>
`
}

function results(sent: readonly WalletLine[], irreversibleAfterMs: number): string {
  const refused = sent.filter(({ problem }) => problem !== undefined)
  const hashes = sent.filter(({ hash }) => hash !== undefined)
  const isBatch = hashes.some(({ reference }) => reference !== '')
  const text = isBatch
    ? ['reference,transaction_hash', ...hashes.map(({ reference, hash }) => `${reference},${hash}`)].join(
        '\n',
      )
    : hashes.map(({ hash }) => hash).join('\n')
  return `<h2>Sent</h2>
${
  hashes.length === 0
    ? ''
    : `<p>${isBatch ? 'The hashes of the payment run' : 'The transaction hash'}; irreversible, and so verified, after ${irreversibleAfterMs / 1_000} s.</p>
<textarea rows="${Math.min(20, hashes.length + 1)}" readonly aria-label="Transaction hashes">${escaped(text)}</textarea>`
}
${refused.length === 0 ? '' : `<p>Not sent:</p><ul>${refused.map(({ text: line, problem = '' }) => `<li><code>${escaped(line)}</code> ${escaped(problem)}</li>`).join('')}</ul>`}`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
