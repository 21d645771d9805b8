package io.stele.engine.compaction;

import io.stele.testkit.golden.GoldenBlock;
import io.stele.testkit.golden.GoldenFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The policy's story, told by files. Their commands:
 *
 * <pre>
 *   plan [setting=value…]         one decision about the chain in the input, oldest first
 *   settle [setting=value…]       decisions about it until there are no more
 *   garbage [setting=value…]      what is planned to get rid of garbage
 *   full                          what is planned when someone asks to compact everything
 *   flushes count=N size=S [erasures=P%] [setting=value…]
 *                                 so many fragments arrive, from an empty chain on
 * </pre>
 *
 * A fragment is a size, such as {@code 64MiB}, with a cell for each KiB; {@code erasures=30%} of
 * them, and {@code cells=1000}, say otherwise, and {@code garbage=10MiB} can be dropped for its
 * sake.
 */
class CompactionPolicyGoldenTest {
  @TestFactory
  Stream<DynamicTest> plans() throws IOException {
    return GoldenFiles.tests(
        Path.of("src/test/resources/golden/compaction-plan"),
        () -> CompactionPolicyGoldenTest::run);
  }

  private static String run(GoldenBlock block) {
    CompactionPolicy policy = new CompactionPolicy(settings(block));
    return switch (block.command()) {
      case "plan" -> plan(policy.plan(fragments(block)), new ChainModel(fragments(block)));
      case "full" -> plan(policy.fullPlan(fragments(block)), new ChainModel(fragments(block)));
      case "garbage" ->
          plan(policy.garbagePlan(fragments(block)), new ChainModel(fragments(block)));
      case "settle" -> settle(policy, new ChainModel(fragments(block)), "");
      case "flushes" -> flushes(policy, block);
      default -> throw block.unknown("plan", "garbage", "full", "settle", "flushes");
    };
  }

  private static String plan(Optional<CompactionPlan> plan, ChainModel model) {
    return plan.map(found -> apply(found, model)).orElse("idle\n");
  }

  private static String settle(CompactionPolicy policy, ChainModel model, String indent) {
    StringBuilder steps = new StringBuilder();
    Optional<CompactionPlan> plan = policy.plan(model.chain());
    while (plan.isPresent()) {
      steps.append(apply(plan.get(), model).indent(indent.length()));
      plan = policy.plan(model.chain());
    }
    return steps.isEmpty() ? indent + "idle\n" : steps.toString();
  }

  private static String flushes(CompactionPolicy policy, GoldenBlock block) {
    ChainModel model = new ChainModel(List.of());
    StringBuilder story = new StringBuilder();
    String shape =
        block.value("size").orElseThrow() + " erasures=" + block.value("erasures").orElse("0%");
    int count = Integer.parseInt(block.value("count").orElseThrow());
    for (int n = 1; n <= count; n++) {
      model.flush(fragment(shape));
      if (policy.plan(model.chain()).isPresent()) {
        story.append("flush ").append(n).append('\n').append(settle(policy, model, "  "));
      }
    }
    story.append("in the end: ").append(describe(model.chain())).append('\n');
    return story
        .append("each byte was written %.2f times%n".formatted(model.writeAmplification()))
        .toString();
  }

  private static String apply(CompactionPlan plan, ChainModel model) {
    List<FragmentShape> inputs = model.chain().subList(plan.from(), plan.to());
    model.merge(plan);
    return "merge %d to %d (%s)%s: %s%n  -> %s%n"
        .formatted(
            plan.from(),
            plan.to() - 1,
            size(inputs.stream().mapToLong(FragmentShape::bytes).sum()),
            plan.rooted() ? ", rooted" : "",
            plan.reason(),
            describe(model.chain()));
  }

  private static String describe(List<FragmentShape> chain) {
    return chain.stream().map(f -> size(f.bytes())).collect(Collectors.joining(", "));
  }

  private static CompactionSettings settings(GoldenBlock block) {
    CompactionSettings d = CompactionSettings.DEFAULT;
    return new CompactionSettings(
        setting(block, "min-width", d, CompactionSettings::minWidth),
        setting(block, "max-width", d, CompactionSettings::maxWidth),
        setting(block, "max-fragments", d, CompactionSettings::maxFragments),
        setting(block, "run-percent", d, CompactionSettings::runPercent),
        setting(block, "space-percent", d, CompactionSettings::spacePercent),
        setting(block, "erasure-percent", d, CompactionSettings::erasurePercent),
        setting(block, "erasure-reach", d, CompactionSettings::erasureReach),
        setting(block, "garbage-percent", d, CompactionSettings::garbagePercent));
  }

  private static int setting(
      GoldenBlock block,
      String name,
      CompactionSettings defaults,
      ToIntFunction<CompactionSettings> field) {
    return block.value(name).map(Integer::parseInt).orElse(field.applyAsInt(defaults));
  }

  private static List<FragmentShape> fragments(GoldenBlock block) {
    return block.inputLines().stream().map(CompactionPolicyGoldenTest::fragment).toList();
  }

  private static FragmentShape fragment(String text) {
    List<String> words = List.of(text.trim().split("\\s+"));
    long bytes = bytes(words.getFirst());
    long cells = bytes >> 10;
    long garbage = 0;
    double share = 0;
    for (String word : words.subList(1, words.size())) {
      String[] pair = word.split("=", 2);
      switch (pair[0]) {
        case "cells" -> cells = Long.parseLong(pair[1]);
        case "erasures" -> share = Integer.parseInt(pair[1].replace("%", "")) / 100.0;
        case "garbage" -> garbage = bytes(pair[1]);
        default -> throw new IllegalArgumentException("fragment " + text + ": what is " + word);
      }
    }
    return new FragmentShape(bytes, cells, Math.round(cells * share), garbage);
  }

  private static long bytes(String size) {
    long number = Long.parseLong(size.replaceAll("[^0-9]", ""));
    return switch (size.replaceAll("[0-9]", "")) {
      case "KiB" -> number << 10;
      case "MiB" -> number << 20;
      case "GiB" -> number << 30;
      default -> throw new IllegalArgumentException("size " + size + ": KiB, MiB or GiB");
    };
  }

  private static String size(long bytes) {
    if (bytes >= 10L << 30) {
      return Math.round(bytes / (double) (1L << 30)) + " GiB";
    }
    return bytes >= 10L << 20
        ? Math.round(bytes / (double) (1L << 20)) + " MiB"
        : String.format(Locale.ROOT, "%d KiB", bytes >> 10);
  }
}
