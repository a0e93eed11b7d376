const triesMax = 3

const isTaken = (error: unknown): boolean =>
  error instanceof Error && /EADDRINUSE|address already in use/i.test(error.message)

/**
 * Starts something that listens on ports that were free a moment ago. When another program was quicker, `start` is called
 * again, and chooses other ports; three times in all.
 */
export async function onFreePorts<Started>(start: () => Promise<Started>): Promise<Started> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start()
    } catch (error) {
      if (tries === triesMax || !isTaken(error)) throw error
    }
  }
}
