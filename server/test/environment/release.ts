// The release of these sources, as an operator gets it.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../src/platform/process/project.ts'

/** Makes the release for this processor; gives its file and its SHA-256. */
export async function makeRelease(): Promise<{ readonly file: string; readonly hash: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['tools/release.mjs', process.arch], {
    cwd: projectRoot,
    // The console may be built by this, and a build for tests would be larger than what is shipped.
    env: { ...process.env, NODE_ENV: '' },
  })
  const [, path = '', hash = ''] = /^(dist\/release\/\S+\.tgz): .* SHA-256 (\w+)$/m.exec(stdout) ?? []
  return { file: join(projectRoot, path), hash }
}
