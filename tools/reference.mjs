// The command reference, a page for each topic, written by oclif's generator.
// It gets the commands from the program instead of a folder, and returns its pages instead of writing them.

import {readFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Help} from '@oclif/core';
import {CommandPage} from '../dist/cli/help/help-pages.js';
import {CommandCatalog} from '../dist/cli/catalog/command-catalog.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Columns of a page. */
const WIDTH = 100;

/** The help of a command as it is printed, without the flags that every command has. */
class ReferenceHelp extends Help {
  CommandHelpClass = CommandPage;

  constructor(config) {
    super(config, {maxWidth: WIDTH, stripAnsi: true, hideCommandSummaryInDescription: true});
  }
}

/** The catalog with the members that the generator reads. A command without a topic has its own page. */
class Documented extends CommandCatalog {
  get commands() {
    return this.commandIDs.map((id) => ({
      ...this.findCommand(id),
      flags: this.index.commands[id].flags,
      pluginType: 'core',
    }));
  }

  get topics() {
    const listed = super.topics;
    const alone = this.commandIDs.filter((id) => !id.includes(':') && !listed.some(({name}) => name === id));
    return [...listed, ...alone.map((name) => ({name}))];
  }
}

const RISK_TEXTS = {
  reads: 'reads',
  writes: 'writes',
  bills: 'bills a customer',
  moves_money: 'moves money',
  destroys: 'destroys',
};

/** The link to the description of a command. */
export const linkOf = (id) => `${id.split(':')[0]}.md#centavo-${id.replaceAll(':', '-')}`;

/** All pages by file name. @param index the command index */
export async function referencePages(index) {
  const {default: imported} = await import('oclif/lib/readme-generator.js');
  const ReadmeGenerator = imported.default ?? imported;
  const pages = new Map();

  class Reference extends ReadmeGenerator {
    /** Headings are links: they stay the same when an argument is added. */
    commandUsage({id}) {
      return id.replaceAll(':', ' ');
    }

    renderCommand(command) {
      const {operation, risk, exitCodes} = index.commands[command.id];
      const facts = [
        operation && `Request: \`${operation.method} ${operation.path}\`, \`client.${operation.client}\``,
        `Risk: ${RISK_TEXTS[risk]}`,
        exitCodes.length > 0 &&
          `[Exit codes](../scripts.md#exit-codes) besides those of every command: ${exitCodes.join(', ')}`,
      ];
      return `${super.renderCommand(command, ReferenceHelp)}\n\n${facts.filter(Boolean).join(' · ')}`;
    }

    /** The index has no part for oclif to fill. */
    read() {
      return '';
    }

    write(path, text) {
      // The heading of a page without a description has empty lines below it.
      if (path) pages.set(basename(path), text.replace(/\n{3,}/, '\n\n'));
    }
  }

  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const options = {aliases: false, multi: true, outputDir: '.', pluginDir: root, sourceLinks: false};
  await new Reference(new Documented({root, pjson, index}), options).generate();
  return pages;
}
