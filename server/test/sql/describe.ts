// What PostgreSQL says of a statement without running it: the columns it gives and their types.
import type pg from 'pg'

export interface ResultColumn {
  readonly name: string
  /** OID of its type. */
  readonly typeId: number
  readonly isArray: boolean
}

interface RowDescription {
  readonly fields: readonly {
    readonly name: string
    readonly dataTypeID: number
  }[]
}

/** OIDs of the arrays of our columns' types. */
export const arrayOf = {
  int2: 1005,
  int4: 1007,
  int8: 1016,
  text: 1009,
  varchar: 1015,
  timestamptz: 1185,
  bytea: 1001,
  bool: 1000,
}
const arrayTypes = new Set(Object.values(arrayOf))

/** Parses and describes one statement on its own: extended protocol, nothing is bound or executed. */
class Description {
  readonly #text: string
  readonly #settle: (columns: ResultColumn[]) => void
  readonly #refuse: (error: Error) => void
  #columns: ResultColumn[] = []

  constructor(text: string, settle: (columns: ResultColumn[]) => void, refuse: (error: Error) => void) {
    this.#text = text
    this.#settle = settle
    this.#refuse = refuse
  }

  submit(connection: pg.Connection): undefined {
    connection.parse({ name: '', text: this.#text, types: [] }, true)
    connection.describe({ type: 'S', name: '' }, true)
    connection.sync()
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      typeId: dataTypeID,
      isArray: arrayTypes.has(dataTypeID),
    }))
  }

  /** After a fault the client calls this and no other handler. */
  handleError(error: Error): void {
    this.#refuse(error)
  }

  handleReadyForQuery(): void {
    this.#settle(this.#columns)
  }
}

/** The columns of a statement's result; none for one without. Rejects with PostgreSQL's fault. */
export function describeStatement(client: pg.PoolClient, text: string): Promise<ResultColumn[]> {
  return new Promise((resolve, reject) => {
    client.query(new Description(text, resolve, reject) as unknown as pg.Submittable)
  })
}
