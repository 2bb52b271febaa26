//! Chart of a run: for each workload, a bar per peer with the ratio of the judged device's time to the peer's, on a
//! logarithmic scale. To the left of 1 the judged device is faster.

use plotters::prelude::*;

use crate::client::Result;
use crate::suite::report::Report;

const ROW: u32 = 22;
const COLORS: [RGBColor; 4] =
    [RGBColor(31, 119, 180), RGBColor(255, 127, 14), RGBColor(44, 160, 44), RGBColor(148, 103, 189)];

/// Line of the chart: its label, and a ratio for each peer.
type Line = (String, Vec<Option<f64>>);

/// Returns the lines to draw, the means last.
fn lines(report: &Report) -> Vec<Line> {
    let peers = report.peers();
    let ratios =
        |row: &crate::suite::report::Row| peers.iter().map(|peer| row.ratio(report.judged, *peer)).collect();
    let mut lines: Vec<Line> =
        report.rows.iter().map(|row| (row.workload.name.to_owned(), ratios(row))).collect();
    let means = report.means().into_iter().take(peers.len()).map(|(_, mean, _)| mean);
    lines.push(("geometric mean".into(), means.collect()));
    lines
}

/// Returns the chart as SVG.
pub fn svg(report: &Report) -> Result<String> {
    if report.peers().is_empty() {
        return Err("a picture needs two devices".into());
    }
    let lines = lines(report);
    let mut text = String::new();
    draw(report, &lines, &mut text).map_err(|e| e.to_string())?;
    Ok(text)
}

fn draw(
    report: &Report,
    lines: &[Line],
    text: &mut String,
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let all = lines.iter().flat_map(|(_, ratios)| ratios.iter().flatten());
    let (low, high) = all.fold((0.5f64, 2.0f64), |(low, high), ratio| (low.min(*ratio), high.max(*ratio)));
    let size = (900, ROW * lines.len() as u32 + 110);
    let area = SVGBackend::with_string(text, size).into_drawing_area();
    area.fill(&WHITE)?;
    let judged = report.name(report.judged);
    let title = format!("Time of {judged} divided by that of others (left of 1: {judged} is faster)");
    let rows = lines.len() as f64;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(130)
        .build_cartesian_2d((low * 0.8..high * 1.25).log_scale(), rows..0.0)?;
    let axis = format!("{}, {}", report.machine.processor, report.date);
    chart.configure_mesh().disable_y_mesh().disable_y_axis().x_desc(axis).draw()?;
    let peers = report.peers();
    let thick = 0.8 / peers.len() as f64;
    for (series, peer) in peers.iter().enumerate() {
        let color = COLORS[series % COLORS.len()];
        let bars = lines.iter().enumerate().filter_map(|(row, (_, ratios))| {
            let top = row as f64 + 0.1 + thick * series as f64;
            let ratio = ratios[series]?;
            Some(Rectangle::new([(ratio.min(1.0), top), (ratio.max(1.0), top + thick)], color.filled()))
        });
        let name = format!("{judged} / {}", report.name(*peer));
        chart
            .draw_series(bars)?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], color.filled()));
    }
    chart.draw_series(LineSeries::new([(1.0, 0.0), (1.0, rows)], BLACK))?;
    labels(&area, &chart.plotting_area().get_pixel_range(), lines)?;
    let place = SeriesLabelPosition::LowerRight;
    chart
        .configure_series_labels()
        .position(place)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}

/// Draws the labels of the lines, left of the bars.
fn labels(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    (across, down): &(std::ops::Range<i32>, std::ops::Range<i32>),
    lines: &[Line],
) -> std::result::Result<(), Box<dyn std::error::Error>> {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    let style = ("sans-serif", 13).into_text_style(area).pos(Pos::new(HPos::Right, VPos::Center));
    let height = f64::from(down.end - down.start) / lines.len() as f64;
    for (row, (name, _)) in lines.iter().enumerate() {
        let y = f64::from(down.start) + (row as f64 + 0.5) * height;
        area.draw(&Text::new(name.as_str(), (across.start - 8, y as i32), style.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::svg;
    use crate::suite::machine::Machine;
    use crate::suite::report::{Report, Row};
    use crate::suite::scheduler::Outcome;
    use crate::suite::work::ALL;

    fn report(times: &[&[f64]]) -> Report {
        let name = |name: &str| [name.to_owned(), "CPU".into(), "1".into()];
        let outcomes = |seconds: &[f64]| seconds.iter().map(|s| Outcome::Times(vec![*s])).collect();
        let rows = times.iter().zip(ALL).map(|(seconds, workload)| Row {
            workload,
            limits: Vec::new(),
            outcomes: outcomes(seconds),
        });
        Report {
            date: "2000-01-01".into(),
            machine: Machine {
                processor: "a processor".into(),
                threads: 1,
                vectors: "",
                single: 1.0,
                double: 1.0,
                integer: 1.0,
                count: 1.0,
                atomic: 1.0,
                l1: 1.0,
                cache: 1.0,
                memory: 1.0,
            },
            devices: vec![name("One"), name("Two")],
            judged: 0,
            rounds: 1,
            rows: rows.collect(),
        }
    }

    #[test]
    fn a_bar_for_each_ratio() {
        let bars = |report: &Report| {
            let text = svg(report).expect("a picture");
            assert!(text.starts_with("<svg") && text.contains(ALL[0].name) && text.contains("One / Two"));
            text.matches("<rect").count()
        };
        let mut two = report(&[&[1.0, 2.0], &[3.0, 1.0]]);
        let all = bars(&two);
        two.rows[1].outcomes[1] = Outcome::Late;
        assert_eq!(bars(&two), all - 1);
        two.devices.truncate(1);
        assert!(svg(&two).is_err());
    }

    #[test]
    fn what_has_no_time_is_not_in_the_mean() {
        let mut two = report(&[&[1.0, 2.0], &[8.0, 1.0]]);
        let mean = |report: &Report| report.means()[0].1.map(|mean| (mean * 1e6).round() / 1e6);
        assert_eq!(mean(&two), Some(2.0));
        two.rows[1].outcomes[0] = Outcome::Wrong("so".into());
        assert_eq!(mean(&two), Some(0.5));
        assert!(two.text().contains("wrong") && two.markdown().contains("| wrong |"));
        assert!(two.json().contains("\"wrong: so\""));
    }
}
