// A posting batch (Buchungsstapel) as DATEV imports it: EXTF, header version 700, format version 13. Text in quotes,
// semicolons, decimal commas, CR LF. Source: developer.datev.de, DATEV-Format.

/** DATEV takes no larger batch. */
export const datevEntriesMax = 99_999
// ^\d{1,10},\d{2}$
const amountMax = 999_999_999_999n

export interface DatevBatch {
  readonly consultant: number
  readonly client: number
  /** UTC, `yyyy-MM-dd`. */
  readonly fiscalStart: string
  readonly from: string
  readonly to: string
  /** Digits of general accounts. */
  readonly digits: number
  readonly currency: string
  readonly madeAt: Date
}

const compact = (day: string) => day.replaceAll('-', '')
// Control characters are not permitted in text.
const text = (value: string, max: number) =>
  `"${value
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, max)
    .replaceAll('"', '""')}"`
const endLine = (cells: readonly string[]) => `${cells.join(';')}\r\n`

/** The two lines at the head: what the batch is, and the names of its columns. */
export function datevHead(batch: DatevBatch): string {
  const { consultant, client, fiscalStart, from, to, digits, currency, madeAt } = batch
  const made = madeAt.toISOString().replace(/\D/g, '').slice(0, 17)
  return (
    endLine([
      `"EXTF";700;21;"Buchungsstapel";13;${made};;"TG";"";""`,
      `${consultant};${client};${compact(fiscalStart)};${digits};${compact(from)};${compact(to)}`,
      // Name of the batch, initials, financial accounting, no purpose of its own, not locked, currency.
      `${text(`Tollgate ${from.slice(0, 7)}`, 30)};"";1;0;0;${text(currency, 3)}`,
      ';"";;;"";;;"";""',
    ]) + endLine(columns)
  )
}

export interface DatevEntry {
  readonly day: string
  readonly debit: string
  readonly credit: string
  /** Above 0. */
  readonly hundredths: bigint
  /** What the entry is about, as `3-17` or a transaction's id. */
  readonly document: string
  readonly words: string
  /** The exact amount, kept beside the posting. */
  readonly usdt: string
}

/** The lines of one entry: several only when the amount is beyond what one line can hold. */
export function datevLines(entry: DatevEntry, currency: string): string {
  let [lines, left] = ['', entry.hundredths]
  while (left > 0n) {
    const amount = left < amountMax ? left : amountMax
    lines += datevLine(entry, amount, currency)
    left -= amount
  }
  return lines
}

function datevLine(
  { day, debit, credit, document, words, usdt }: DatevEntry,
  amount: bigint,
  currency: string,
): string {
  const digits = amount.toString().padStart(3, '0')
  const cells = columns.map(() => '')
  cells[0] = `${digits.slice(0, -2)},${digits.slice(-2)}`
  // S: the account is debited, the counter-account credited.
  cells[1] = '"S"'
  cells[2] = text(currency, 3)
  cells[6] = debit
  cells[7] = credit
  cells[9] = day.slice(8, 10) + day.slice(5, 7)
  cells[10] = text(document.replace(/[^a-zA-Z0-9$&%*+/-]/g, ''), 36)
  cells[13] = text(words, 60)
  cells[20] = '"USDT"'
  cells[21] = text(usdt, 210)
  // Not locked: the accountant may still change it.
  cells[113] = '0'
  return endLine(cells)
}

const numbered = (count: number, names: (place: number) => string) =>
  Array.from({ length: count }, (_, index) => names(index + 1)).join(';')

const columns = [
  'Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Kurs;Basis-Umsatz;WKZ Basis-Umsatz;Konto',
  'Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;Belegdatum;Belegfeld 1;Belegfeld 2;Skonto;Buchungstext',
  'Postensperre;Diverse Adressnummer;Geschäftspartnerbank;Sachverhalt;Zinssperre;Beleglink',
  numbered(8, (place) => `Beleginfo - Art ${place};Beleginfo - Inhalt ${place}`),
  'KOST1 - Kostenstelle;KOST2 - Kostenstelle;Kost-Menge;EU-Land u. UStID (Bestimmung)',
  'EU-Steuersatz (Bestimmung);Abw. Versteuerungsart;Sachverhalt L+L;Funktionsergänzung L+L',
  'BU 49 Hauptfunktionstyp;BU 49 Hauptfunktionsnummer;BU 49 Funktionsergänzung',
  numbered(20, (place) => `Zusatzinformation - Art ${place};Zusatzinformation- Inhalt ${place}`),
  'Stück;Gewicht;Zahlweise;Forderungsart;Veranlagungsjahr;Zugeordnete Fälligkeit;Skontotyp;Auftragsnummer',
  'Buchungstyp;USt-Schlüssel (Anzahlungen);EU-Land (Anzahlungen);Sachverhalt L+L (Anzahlungen)',
  'EU-Steuersatz (Anzahlungen);Erlöskonto (Anzahlungen);Herkunft-Kz;Buchungs GUID;KOST-Datum',
  'SEPA-Mandatsreferenz;Skontosperre;Gesellschaftername;Beteiligtennummer;Identifikationsnummer',
  'Zeichnernummer;Postensperre bis;Bezeichnung SoBil-Sachverhalt;Kennzeichen SoBil-Buchung',
  'Festschreibung;Leistungsdatum;Datum Zuord. Steuerperiode;Fälligkeit;Generalumkehr (GU);Steuersatz',
  'Land;Abrechnungsreferenz;BVV-Position;EU-Land u. UStID (Ursprung);EU-Steuersatz (Ursprung)',
  'Abw. Skontokonto',
].flatMap((names) => names.split(';'))
