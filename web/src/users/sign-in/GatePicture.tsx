// The picture of the sign-in page: messages arrive scattered, are counted at the gate, and leave in order.

const gateX = 318

/** Reproducible random numbers in [0, 1), so that the picture is always the same. */
function* scatter(): Generator<number, never> {
  let state = 20_261_121
  for (;;) {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    yield state / 4_294_967_296
  }
}

function draw() {
  const random = scatter()
  const next = () => random.next().value
  const dots = Array.from({ length: 760 }, () => {
    // Denser near the gate.
    const near = next() ** 0.62
    return {
      x: near * (gateX - 20),
      y: next() * 868,
      r: 1 + next() * 1.2,
      opacity: 0.12 + near * near * 0.55 * next(),
    }
  })
  const dashes = Array.from({ length: 34 }, (_, row) => {
    const line: { x: number; y: number; width: number; opacity: number }[] = []
    let x = gateX + 21 + (next() < 0.1 ? 40 : 0)
    while (x < 640) {
      const width = next() < 0.3 ? 3.5 : 8 + next() * 28
      if (next() > 0.12)
        line.push({
          x,
          y: 13 + row * 25.5,
          width,
          opacity: Math.max(0.15, (0.4 + next()) * (1 - (x - gateX) / 420)),
        })
      x += width + 8 + next() * 6
    }
    return line
  }).flat()
  return { dots, dashes }
}

const picture = draw()

/** Decoration, hidden from screen readers. */
export function SignInPicture() {
  return (
    <svg viewBox="0 0 624 868" preserveAspectRatio="xMinYMid slice" aria-hidden="true" className="size-full">
      <g fill="var(--ink-2)">
        {picture.dots.map((dot) => (
          <circle key={`${dot.x} ${dot.y}`} cx={dot.x} cy={dot.y} r={dot.r} opacity={dot.opacity} />
        ))}
      </g>
      <rect x={gateX - 1.5} y="0" width="3" height="868" fill="var(--accent)" />
      <g fill="var(--accent)">
        {picture.dashes.map((dash) => (
          <rect
            key={`${dash.x} ${dash.y}`}
            x={dash.x}
            y={dash.y - 1.75}
            width={dash.width}
            height="3.5"
            rx="1.75"
            opacity={Math.min(1, dash.opacity)}
          />
        ))}
      </g>
    </svg>
  )
}
