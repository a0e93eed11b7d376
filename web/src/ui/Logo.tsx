/** The logo: messages arrive scattered and leave in order. Visual language §18. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg viewBox="0 0 26 26" width={size} height={size} aria-hidden="true" className="shrink-0">
      <rect width="26" height="26" rx="7" fill="var(--accent)" />
      <g fill="var(--on-accent)">
        <rect x="10.2" y="4.8" width="2.6" height="16.4" rx="1.3" />
        <rect x="16" y="8" width="5" height="2.4" rx="1.2" />
        <rect x="16" y="11.8" width="3" height="2.4" rx="1.2" />
        <rect x="16" y="15.6" width="5" height="2.4" rx="1.2" />
        <circle cx="6.3" cy="10.2" r="1.25" opacity=".75" />
        <circle cx="5" cy="14.6" r="1.25" opacity=".55" />
      </g>
    </svg>
  )
}
