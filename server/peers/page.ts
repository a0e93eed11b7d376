// docs/peers.md, written from what was exchanged.
import type { ExchangeDirection } from './define.ts'

export interface PeerResult {
  readonly name: string
  readonly version: string
  readonly quirks: readonly string[]
  readonly directions: readonly ExchangeDirection[]
}

const introduction = `# Peers
What other implementations of SMPP exchanged with a gateway of its own, over real sockets. \`npm run peers\` drives them again and writes this page. Octets, data_coding, esm_class and the sender with its TON are compared: of the record where the message comes in, of the PDU that the peer got where it goes out, with the text that the peer made of it. A message that differs in one of them is failed. Last comes a storage that takes CDR files by the protocol of S3.
`

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

function tableOf({ title, exchanged }: ExchangeDirection): string {
  const rows = exchanged.map(
    ({ name, fault }) => `| ${cell(name)} | ${fault === '' ? 'exact' : `**failed**: ${cell(fault)}`} |`,
  )
  return [`### ${title}`, '| exchanged | result |', '|---|---|', ...rows].join('\n')
}

function sectionOf({ name, version, quirks, directions }: PeerResult): string {
  const heading = `## ${name} ${version}`
  const notes = quirks.map((quirk) => `- ${quirk}`).join('\n')
  return [heading, ...(notes === '' ? [] : [notes]), ...directions.map(tableOf)].join('\n\n')
}

const countOf = (results: readonly PeerResult[]): string => {
  const outcomes = results.flatMap(({ directions }) => directions).flatMap(({ exchanged }) => exchanged)
  const exact = outcomes.filter(({ fault }) => fault === '').length
  return `${exact} of ${outcomes.length} were exact when it last ran.`
}

/** The whole page. */
export function writePage(results: readonly PeerResult[]): string {
  return `${[introduction, countOf(results), ...results.map(sectionOf)].join('\n')}\n`
    .replaceAll(/\n(#{2,3} )/g, '\n\n$1')
    .replaceAll(/\n{3,}/g, '\n\n')
}
