import { useMemo } from 'react'
import { encode } from 'uqr'

interface QrCodeProps {
  /** Up to some hundred bytes: an address, or the URI of a TOTP secret. */
  readonly text: string
  /** 'QR code of the address TMPy…' */
  readonly label: string
  readonly sizePx?: number
}

/** Black on white also in dark mode, with a 10 px quiet zone, since cameras need it. Visual language §9. */
export function QrCode({ text, label, sizePx = 172 }: QrCodeProps) {
  const { data: grid } = useMemo(() => encode(text, { ecc: 'M', border: 0 }), [text])
  const path = grid
    .flatMap((line, row) => line.flatMap((isDark, column) => (isDark ? [`M${column} ${row}h1v1h-1z`] : [])))
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${grid.length} ${grid.length}`}
      width={sizePx}
      height={sizePx}
      shapeRendering="crispEdges"
      className="box-border shrink-0 rounded-md p-2.5"
      style={{ background: '#fff' }}
    >
      <path d={path} fill="#0b1215" />
    </svg>
  )
}
