// Compares the row type that a call names with the columns that its statement gives.
import pg from 'pg'
import type { Node } from 'typescript/unstable/ast'
import { TypeFlags, type Checker, type Type } from 'typescript/unstable/sync'
import { arrayOf, type ResultColumn } from './describe.ts'

const { builtins } = pg.types
const xid8 = 5069
const name = 19

/** How pg hands on each type (platform/db.ts); anything else, JSON among it, may be declared as anything. */
const handedOn: ReadonlyMap<number, string> = new Map([
  ...[builtins.BOOL].map((id) => [id, 'boolean'] as const),
  ...[builtins.INT2, builtins.INT4, builtins.OID, builtins.FLOAT4, builtins.FLOAT8].map(
    (id) => [id, 'number'] as const,
  ),
  ...[
    builtins.INT8,
    builtins.NUMERIC,
    builtins.TEXT,
    builtins.VARCHAR,
    builtins.UUID,
    builtins.DATE,
    builtins.INET,
    xid8,
    name,
  ].map((id) => [id, 'string'] as const),
  ...[builtins.TIMESTAMPTZ, builtins.TIMESTAMP].map((id) => [id, 'Date'] as const),
  [builtins.BYTEA, 'Buffer'],
  [arrayOf.bool, 'boolean[]'],
  ...[arrayOf.int2, arrayOf.int4].map((id) => [id, 'number[]'] as const),
  ...[arrayOf.int8, arrayOf.text, arrayOf.varchar].map((id) => [id, 'string[]'] as const),
  [arrayOf.timestamptz, 'Date[]'],
  [arrayOf.bytea, 'Buffer[]'],
])

export class RowTypes {
  readonly #checker: Checker

  constructor(checker: Checker) {
    this.#checker = checker
  }

  /**
   * The type of a row that the call promises: `Promise<R[]>`, `Promise<R | undefined>` or `Promise<QueryResult<R>>`;
   * undefined for none.
   */
  rowOf(call: Node): Type | undefined {
    const promise = this.#checker.getTypeAtLocation(call)
    const [result] = promise?.isTypeReference() === true ? this.#checker.getTypeArguments(promise) : []
    if (result === undefined) return undefined
    const isOfRows =
      this.#checker.isArrayType(result) || /^Query(Array)?Result\b/.test(this.#checker.typeToString(result))
    const row = isOfRows
      ? result.isTypeReference()
        ? this.#checker.getTypeArguments(result)[0]
        : undefined
      : this.#checker.getNonNullableType(result)
    // Rows that come as arrays have no names.
    return row !== undefined && this.#checker.isArrayLikeType(row) ? undefined : row
  }

  /** What does not fit, a sentence each. `nullable` says of each column whether it may be null. */
  faults(row: Type, columns: readonly ResultColumn[], nullable: readonly boolean[], at: Node): string[] {
    return this.#checker.getPropertiesOfType(row).flatMap((property) => {
      const declared = this.#checker.getTypeOfSymbolAtLocation(property, at)
      const place = columns.findLastIndex(({ name: actual }) => actual === property.name)
      const column = columns[place]
      if (column === undefined)
        return this.#mayBeMissing(declared) ? [] : [`gives no column ${property.name}`]
      const words = this.#checker.typeToString(this.#checker.getNonNullableType(declared) ?? declared)
      if (
        nullable[place] === true &&
        !this.#checker.isTypeAssignableTo(this.#checker.getNullType(), declared)
      )
        return [`gives ${property.name}, which may be null, and the code reads ${words}`]
      const actual = handedOn.get(column.typeId)
      if (actual === undefined) return []
      return this.#fits(declared, actual)
        ? []
        : [`gives ${property.name} as ${actual}, and the code reads ${words}`]
    })
  }

  #mayBeMissing(type: Type): boolean {
    return this.#checker.isTypeAssignableTo(this.#checker.getUndefinedType(), type)
  }

  #fits(declared: Type, actual: string): boolean {
    const type = this.#checker.getNonNullableType(declared) ?? declared
    if ((type.flags & TypeFlags.AnyOrUnknown) !== 0) return true
    if (actual.endsWith('[]')) {
      if (!this.#checker.isArrayLikeType(type) || !type.isTypeReference()) return false
      const [element] = this.#checker.getTypeArguments(type)
      return element === undefined || this.#fits(element, actual.slice(0, -2))
    }
    if (actual === 'string') return this.#checker.isTypeAssignableTo(type, this.#checker.getStringType())
    if (actual === 'number') return this.#checker.isTypeAssignableTo(type, this.#checker.getNumberType())
    if (actual === 'boolean') return this.#checker.isTypeAssignableTo(type, this.#checker.getBooleanType())
    return new RegExp(`^${actual}\\b|^Uint8Array\\b`).test(this.#checker.typeToString(type))
  }
}
