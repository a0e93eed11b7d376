// docs/schema.md: every table by the slice that writes it, and the keys of each slice as a picture.
import type { Table } from './introspect.ts'

const head = `# Schema
Every table, by the slice that writes it. \`npm run schema\` writes this page from the migrated schema; a test compares it. What a row is stands in \`comment on table\` of [server/migrations](../server/migrations), which also says why.

A table grows with: **settings** (hardly at all), **people** (accounts, numbers and partners), **acts** (what people do), **traffic** (messages), **money** (cycles and what is owed). **Passing** rows go again after seconds to weeks.
`

/** The size class that ends a table's comment. */
const classPattern = / \[(settings|people|acts|traffic|money|passing)\]$/

export interface SchemaPart {
  readonly slice: string
  readonly tables: readonly Table[]
}

function lineOf({ name, comment }: Table): string {
  const grows = classPattern.exec(comment)?.[1]
  if (grows === undefined)
    throw new Error(`${name}: its comment must say what a row is, and end with a class`)
  return `| \`${name}\` | ${comment.replace(classPattern, '').replaceAll('|', '\\|')} | ${grows} |`
}

function picture(tables: readonly Table[]): string {
  const edges = tables.flatMap(({ name, keys }) =>
    keys.map(({ to, columns }) => `  ${to} ||--o{ ${name} : "${columns.join(', ')}"`),
  )
  return edges.length === 0 ? '' : `\n\`\`\`mermaid\nerDiagram\n${edges.join('\n')}\n\`\`\`\n`
}

export function renderPage(parts: readonly SchemaPart[]): string {
  const sections = parts.map(({ slice, tables }) => {
    const lines = tables.map(lineOf).join('\n')
    return `\n## ${slice}\n| table | a row is | grows with |\n|---|---|---|\n${lines}\n${picture(tables)}`
  })
  return head + sections.join('')
}
