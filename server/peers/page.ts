// docs/peers.md, written from what was exchanged.
import type { Direction } from './exchange.ts'

export interface PeerResult {
  readonly name: string
  readonly version: string
  readonly quirks: readonly string[]
  readonly directions: readonly Direction[]
}

const introduction = `# Peers
What other implementations of SMPP exchanged with a gateway of its own, over real sockets. \`npm run peers\` drives them again and writes this page. Octets, data_coding, esm_class and the sender with its TON are compared: of the record where the message comes in, of the PDU that the peer got where it goes out. A message that differs in one of them is failed.
`

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

function tableOf({ title, exchanged }: Direction): string {
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

/** The whole page. */
export function writePage(results: readonly PeerResult[], remarks: readonly string[]): string {
  const others =
    remarks.length === 0 ? [] : [`## Not driven\n\n${remarks.map((each) => `- ${each}`).join('\n')}`]
  return `${[introduction, ...results.map(sectionOf), ...others].join('\n')}\n`
    .replaceAll(/\n(#{2,3} )/g, '\n\n$1')
    .replaceAll(/\n{3,}/g, '\n\n')
}
