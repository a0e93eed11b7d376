// What PostgreSQL says of a statement without running it: the columns it gives and their types.
import type pg from 'pg'

export interface ResultColumn {
  readonly name: string
  /** OID of its type. */
  readonly typeId: number
  /** The table column that it shows unchanged, if it is one. */
  readonly source: { readonly tableId: number; readonly columnId: number } | undefined
}

interface RowDescription {
  readonly fields: readonly {
    readonly name: string
    readonly dataTypeID: number
    readonly tableID: number
    readonly columnID: number
  }[]
}

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
    this.#columns = fields.map(({ name, dataTypeID, tableID, columnID }) => ({
      name,
      typeId: dataTypeID,
      source: tableID === 0 ? undefined : { tableId: tableID, columnId: columnID },
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
