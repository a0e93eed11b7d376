// Which columns of a statement's result may be null, from PostgreSQL's plan of it: columns that the schema lets be null,
// the far side of outer joins, aggregates over no rows, subqueries that find nothing. The planner removes outer joins that
// a condition makes inner ones, so no such rule stands here. What cannot be told counts as never null.
import type pg from 'pg'
import type { ResultColumn } from './describe.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Parent Relationship'?: string
  readonly 'Subplan Name'?: string
  readonly 'Join Type'?: string
  readonly Strategy?: string
  readonly 'Relation Name'?: string
  readonly Alias?: string
  readonly Output?: readonly string[]
  readonly Plans?: readonly PlanNode[]
}

const conditionFields = ['Filter', 'Index Cond', 'Recheck Cond', 'Hash Cond', 'Merge Cond', 'Join Filter']
const isSubplan = (expression = '') => /^\(*InitPlan/.test(expression)
/** The sides of a join that may have no row. */
const farSides: Readonly<Record<string, readonly string[]>> = {
  Left: ['Inner'],
  Right: ['Outer'],
  Full: ['Inner', 'Outer'],
}
/** Nodes that give the columns of their only child as they are. */
const passing = new Set(['Limit', 'Sort', 'Incremental Sort', 'Unique', 'LockRows', 'Gather', 'Gather Merge'])

/** `table.column` for each column of the schema that is declared not null. */
export async function notNullColumns(client: pg.PoolClient): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attnotnull and a.attnum > 0 and c.relkind in ('r', 'p')`,
  )
  return new Set(rows.map(({ name }) => name))
}

/** For each column of the statement's result, whether it may be null. Plans the statement, does not run it. */
export async function nullableColumns(
  client: pg.PoolClient,
  text: string,
  columns: readonly ResultColumn[],
  notNull: ReadonlySet<string>,
): Promise<readonly boolean[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (verbose, generic_plan, format json) ${text}`,
  )
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (plan === undefined) throw new Error('PostgreSQL gave no plan')
  const nullable = new Nullability(plan, notNull).columns()
  // An array of a subquery's rows is empty, never null; the plan shows it as any other subquery.
  return columns.map(
    ({ isArray }, place) => nullable[place] === true && !(isArray && isSubplan(plan.Output?.[place])),
  )
}

const children = ({ Plans = [] }: PlanNode) => Plans.filter((each) => each['Subplan Name'] === undefined)

function* nodesBelow(node: PlanNode): Generator<PlanNode> {
  yield node
  for (const each of node.Plans ?? []) yield* nodesBelow(each)
}

class Nullability {
  readonly #plan: PlanNode
  readonly #notNull: ReadonlySet<string>
  readonly #relations = new Map<string, string>()
  /** What the far side of an outer join gives. */
  readonly #joined = new Set<string>()
  readonly #joinedAliases = new Set<string>()
  /** Columns and expressions that a condition on every row makes not null. */
  readonly #compared = new Set<string>()

  constructor(plan: PlanNode, notNull: ReadonlySet<string>) {
    this.#plan = plan
    this.#notNull = notNull
    for (const node of nodesBelow(plan))
      if (node.Alias !== undefined && node['Relation Name'] !== undefined) {
        this.#relations.set(node.Alias, node['Relation Name'])
        // A partition of the table that the statement names.
        const whole = node.Alias.replace(/_\d+$/, '')
        if (!this.#relations.has(whole)) this.#relations.set(whole, node['Relation Name'])
      }
    this.#see(plan, false)
  }

  columns(): readonly boolean[] {
    return this.#columnsOf(this.#plan)
  }

  #columnsOf(node: PlanNode): readonly boolean[] {
    const [first, ...others] = children(node)
    if (first !== undefined && passing.has(node['Node Type'])) return this.#columnsOf(first)
    // Of a union.
    if (first !== undefined && others.length > 0 && first['Parent Relationship'] === 'Member') {
      const all = [first, ...others].map((each) => this.#columnsOf(each))
      return (all[0] ?? []).map((_, index) => all.some((columns) => columns[index] === true))
    }
    return (node.Output ?? []).map((expression) => this.#isNullable(expression))
  }

  #see(node: PlanNode, isJoined: boolean): void {
    const kind = node['Join Type']
    if (!isJoined && farSides[kind ?? ''] === undefined)
      for (const field of conditionFields) this.#compare((node as unknown as Record<string, unknown>)[field])
    for (const each of children(node)) {
      const isFar = farSides[kind ?? '']?.includes(each['Parent Relationship'] ?? '') === true
      if (isFar) {
        for (const expression of each.Output ?? []) this.#joined.add(bare(expression))
        for (const { Alias } of nodesBelow(each)) if (Alias !== undefined) this.#joinedAliases.add(Alias)
      }
      this.#see(each, isJoined || isFar)
    }
  }

  /** Comparisons are never true of null. */
  #compare(condition: unknown): void {
    if (typeof condition !== 'string') return
    for (const part of condition.split(' AND '))
      if (!/ OR |IS NULL|COALESCE|CASE|IS DISTINCT|IS NOT DISTINCT|\bNOT\b(?! NULL)/.test(part))
        for (const [column] of part.matchAll(columnPattern)) this.#compared.add(column)
    const tested = /^(.*) IS NOT NULL$/s.exec(bare(condition))?.[1]
    if (tested !== undefined) this.#compared.add(bare(tested))
  }

  #isNullable(written: string): boolean {
    const expression = bare(written)
    if (this.#compared.has(expression) && !isColumn(expression)) return false
    if (this.#joined.has(expression)) return true
    if (/^NULL\b/.test(expression) || / ELSE NULL(::[\w ]+)? END$/.test(expression)) return true
    if (isColumn(expression)) return this.#isNullableColumn(expression)
    const call = /^(\w+)\((.*)\)( FILTER \(.*\))?$/s.exec(expression)
    if (call !== null && isBalanced(call[2] ?? '')) return this.#isNullableCall(expression, call)
    const subplan = /^\(?((?:Sub|Init)Plan \d+)\)?(\.col1)?$/.exec(expression)
    if (subplan !== null) return this.#isNullableSubplan(subplan[1] ?? '')
    if (/ ->>? /.test(expression)) return true
    // Operators give null for null.
    return (
      !/\b(COALESCE|CASE|ARRAY|ROW|EXISTS|ANY|ALL|OVER|GREATEST|LEAST)\b|IS (NOT )?(NULL|DISTINCT)|\w\(|SubPlan|InitPlan/.test(
        expression,
      ) && [...expression.matchAll(columnPattern)].some(([column]) => this.#isNullableColumn(column))
    )
  }

  #isNullableColumn(column: string): boolean {
    const [alias = '', name = ''] = column.split('.')
    if (this.#joinedAliases.has(alias)) return true
    const relation = this.#relations.get(alias)
    return relation !== undefined && !this.#notNull.has(`${relation}.${name}`) && !this.#compared.has(column)
  }

  #isNullableCall(expression: string, [, name = '', inner = '', filter]: RegExpExecArray): boolean {
    const args = splitArguments(inner)
    if (['COALESCE', 'GREATEST', 'LEAST'].includes(name)) return args.every((arg) => this.#isNullable(arg))
    if (name === 'NULLIF') return true
    if (['sum', 'max', 'min', 'avg', 'array_agg', 'string_agg', 'bool_and', 'bool_or'].includes(name)) {
      const made = [...nodesBelow(this.#plan)].findLast(
        (node) => node['Node Type'] === 'Aggregate' && node.Output?.some((each) => bare(each) === expression),
      )
      if (made?.Strategy === 'Plain' || filter !== undefined) return true
      return name !== 'array_agg' && this.#isNullable(args[0] ?? '')
    }
    return false
  }

  #isNullableSubplan(name: string): boolean {
    const plan = [...nodesBelow(this.#plan)].find((node) => node['Subplan Name'] === name)
    if (plan === undefined) return false
    // Of `exists`.
    if ((plan.Output ?? []).length === 0) return false
    const isOneRow =
      plan.Strategy === 'Plain' || (plan['Node Type'] === 'Result' && children(plan).length === 0)
    // What may have no row is null then.
    return !isOneRow || new Nullability(plan, this.#notNull).columns()[0] === true
  }
}

const columnPattern = /\b[a-z_]\w*\.[a-z_]\w*\b/g
const isColumn = (expression: string) => /^[a-z_]\w*\.[a-z_]\w*$/.test(expression)

/** Without casts and parentheses around it, which change nothing about null. */
function bare(expression: string): string {
  const cast = /^(.+)::[a-z][\w .]*(\(\d+(,\d+)?\))?(\[\])?$/s.exec(expression)
  if (cast !== null && isBalanced(cast[1] ?? '') && !/ /.test(outside(cast[1] ?? '')))
    return bare(cast[1] ?? '')
  const inner = /^\((.*)\)$/s.exec(expression)?.[1]
  return inner !== undefined && isBalanced(inner) ? bare(inner) : expression
}

/** What of the expression stands in no parentheses. */
function outside(expression: string): string {
  let depth = 0
  return Array.from(expression)
    .filter((letter) => {
      if (letter === '(') depth += 1
      const isOutside = depth === 0
      if (letter === ')') depth -= 1
      return isOutside
    })
    .join('')
}

function isBalanced(expression: string): boolean {
  let depth = 0
  for (const letter of expression) {
    depth += letter === '(' ? 1 : letter === ')' ? -1 : 0
    if (depth < 0) return false
  }
  return depth === 0
}

function splitArguments(inner: string): string[] {
  const args = ['']
  let depth = 0
  for (const letter of inner) {
    depth += letter === '(' ? 1 : letter === ')' ? -1 : 0
    if (letter === ',' && depth === 0) args.push('')
    else args[args.length - 1] += letter
  }
  return args.map((arg) => arg.trim())
}
